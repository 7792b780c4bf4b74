import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { objectionTo, upstreamNames } from "../../runtime/controls.ts";
import { root } from "../imports.ts";

test("every upstream can be switched off and capped by its name", () => {
  const clients = globSync("worker/upstreams/**/*.ts", { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8"))
    .flatMap((text) => [...text.matchAll(/(?:^ {2}name:|= registry\(\s*) ?"([a-z0-9-]+)"/gm)])
    .map(([, name]) => name as string);
  expect(clients.length).toBeGreaterThan(40);
  expect(clients.filter((name) => !upstreamNames.includes(name))).toEqual([]);
  for (const target of upstreamNames) {
    const decision = { kind: "upstream", target, why: "Its terms changed." };
    expect(objectionTo({ ...decision, effect: "off" })).toBeUndefined();
    expect(objectionTo({ ...decision, effect: "cap", perMinute: 5 })).toBeUndefined();
  }
});
