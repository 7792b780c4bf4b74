import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "..", "..", "..", "docs", "pictures");
const pictures = globSync("*.png", { cwd: folder });

test("npm run docs:pictures has taken each picture, and they stay small", () => {
  expect(pictures.toSorted()).toEqual(["call.png", "capacity.png", "docs.png", "overview.png"]);
  const files = pictures.map((name) => readFileSync(join(folder, name)));
  // Bytes 16 to 19 of a PNG are its width.
  expect(files.map((file) => file.readUInt32BE(16))).toEqual([1400, 1400, 1400, 1400]);
  expect(files.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1_000_000);
});
