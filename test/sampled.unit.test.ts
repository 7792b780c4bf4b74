import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { faultFiles } from "../local/faults-files.ts";
import { root } from "./imports.ts";
import { leftOut, sampled, sampledFiles } from "./sampled.ts";

test("each sampled file is run by some seed, exists, and belongs to npm run test:faults", () => {
  const run = new Set<string>();
  for (let seed = 0; seed < 300; seed += 1) {
    const left = leftOut(String(seed));
    const chosen = sampledFiles.filter((file) => !left.includes(file));
    expect(chosen.length).toBeCloseTo(sampledFiles.length / 16, -0.5);
    for (const file of chosen) run.add(file);
  }
  expect([...run].sort()).toEqual(sampledFiles);
  for (const file of sampledFiles) {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(
      faultFiles.some((path) => file.startsWith(path)),
      file,
    ).toBe(true);
  }
});

test("the evidence lists each reason with its files", () => {
  const evidence = readFileSync(join(root, "docs/evidence/reliability.md"), "utf8");
  for (const [reason, files] of Object.entries(sampled)) {
    const row = evidence.split("\n").find((line) => line.includes(`| ${reason} `));
    for (const file of files) expect(row, `${reason}: ${file}`).toContain(`\`${file.slice(5)}\``);
  }
});
