import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Promtool, findPromtool } from "../promtool.ts";

/** Prometheus's own check of the rules, and of every expression of the boards. */

const root = join(import.meta.dirname, "..", "..");
const rules = join(root, "deploy", "prometheus");
let promtool: Promtool | undefined;
beforeAll(async () => {
  promtool = await findPromtool();
}, 700_000);
afterAll(() => promtool?.stop());

test("promtool accepts the rules, and they fire as their tests expect", ({ skip }) => {
  if (!promtool) return skip("there is no promtool here");
  expect(promtool.run(["check", "rules", "rules.yml"], rules)).toMatch(/SUCCESS: \d+ rules found/);
  expect(promtool.run(["test", "rules", "rules.test.yml"], rules)).toContain("SUCCESS");
}, 600_000);

test("promtool accepts every expression of the boards", ({ skip }) => {
  if (!promtool) return skip("there is no promtool here");
  const folder = mkdtempSync(join(tmpdir(), "gateway-boards-"));
  try {
    const exprs = globSync("deploy/grafana/*.json", { cwd: root }).flatMap((path) => {
      const { panels, annotations } = JSON.parse(readFileSync(join(root, path), "utf8")) as {
        panels: { targets: { expr: string }[] }[];
        annotations: { list: { expr: string }[] };
      };
      return [...panels.flatMap(({ targets }) => targets), ...annotations.list].map(
        ({ expr }) => expr,
      );
    });
    const group = {
      name: "boards",
      // Grafana's own variables are durations.
      rules: exprs.map((expr, index) => ({
        record: `board:${index}`,
        expr: expr.replace(/\$__\w+/g, "5m"),
      })),
    };
    expect(exprs.length).toBeGreaterThan(50);
    // JSON is YAML.
    writeFileSync(join(folder, "boards.yml"), JSON.stringify({ groups: [group] }));
    expect(promtool.run(["check", "rules", "boards.yml"], folder)).toContain(
      `SUCCESS: ${exprs.length} rules found`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
