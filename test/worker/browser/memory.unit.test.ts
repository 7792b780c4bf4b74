import { describe, expect, test } from "vitest";
import { overMemory, processTree } from "../../../worker/browser/memory.ts";

const limits = { rendererBytes: 100, treeBytes: 300 };
const entry = (pid: number, bytes: number) => ({ pid, parent: 1, bytes });

describe("overMemory", () => {
  test("ends every renderer over its limit, and no other", () => {
    expect(overMemory([entry(1, 50), entry(2, 101), entry(3, 100)], limits)).toEqual([2]);
  });

  test("ends the largest until the tree fits, never the main process", () => {
    const tree = [entry(1, 90), entry(2, 80), entry(3, 95), entry(4, 90)];
    expect(overMemory(tree, limits)).toEqual([3]);
    expect(overMemory([entry(1, 1000)], limits)).toEqual([]);
  });
});

test("processTree finds this process and its memory", async () => {
  const [own] = await processTree(process.pid);
  expect(own?.pid).toBe(process.pid);
  expect(own?.bytes).toBeGreaterThan(1_000_000);
});
