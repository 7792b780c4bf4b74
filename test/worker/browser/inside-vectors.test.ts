import { beforeAll, describe, expect, test } from "vitest";
import type { Look } from "./inside-vectors.ts";
import { inNamespace, namespacePossible } from "./namespace.ts";
import { vectors, webSocketDecoyPath } from "./vectors.ts";

const decoys = ["10.1.2.3", "169.254.169.254", "fd00::9"];
const rebinding = ["first.test", "second.test", "third.test", "mixed.test", "alias.test"];

describe.runIf(namespacePossible)("beside a private network", () => {
  let filtered: Look;
  let open: Look;

  beforeAll(async () => {
    ({ filtered, open } = await inNamespace<{ filtered: Look; open: Look }>(
      new URL("inside-vectors.ts", import.meta.url),
      decoys,
    ));
  });

  test("case 27: a page reaches no decoy by TCP or UDP, and Chromium sends no datagram at all", () => {
    expect(Object.keys(filtered.reached)).toEqual(decoys);
    expect(filtered.reached).toEqual(Object.fromEntries(decoys.map((decoy) => [decoy, []])));
    expect(filtered.stun).toEqual(Object.fromEntries(decoys.map((decoy) => [decoy, 0])));
    expect(filtered.dns).toBe(0);
    expect(filtered.datagrams).toBe(0);
    expect(filtered.answers.join()).not.toContain("decoy-content");
    expect(filtered.answers.filter((answer) => answer.includes("vectors"))).toHaveLength(3);
  });

  test("without the SSRF filter the same pages reach each of them", () => {
    for (const decoy of decoys) {
      expect(open.reached[decoy], decoy).toEqual(
        expect.arrayContaining([...vectors, webSocketDecoyPath]),
      );
    }
    for (const decoy of decoys) expect(open.stun[decoy], decoy).toBeGreaterThan(0);
    expect(open.dns).toBeGreaterThan(0);
    expect(open.datagrams).toBeGreaterThan(0);
  });

  test("case 28: a name that changes its address, or has one inside, leads to no decoy", () => {
    expect(Object.keys(filtered.rebound)).toEqual(rebinding);
    for (const name of rebinding)
      expect(filtered.rebound[name], name).not.toContain("decoy-content");
    for (const name of ["mixed.test", "alias.test"]) {
      expect(filtered.rebound[name]).toBe("validation_error");
    }
    for (const name of ["first.test", "second.test", "third.test"]) {
      expect(filtered.rebound[name], `${name} is a page`).toContain("public site");
      expect(filtered.lookups[name], name).toBeGreaterThan(3);
    }
    expect(filtered.reboundHits).toEqual([]);
  });

  test("without the SSRF filter each of them does", () => {
    for (const name of rebinding.filter((entry) => entry !== "mixed.test")) {
      expect(open.rebound[name], name).toContain("decoy-content");
    }
  });
});
