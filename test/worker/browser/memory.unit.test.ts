import { describe, expect, test } from "vitest";
import { overMemory, processTree } from "../../../worker/browser/memory.ts";

const limits = { rendererBytes: 100, sharedBytes: 120, treeBytes: 300 };
const main = (bytes: number) => ({ pid: 1, parent: 0, bytes, isRenderer: false, pageFaults: 9e9 });
const renderer = (pid: number, bytes: number, pageFaults = 0) => ({
  pid,
  parent: 1,
  bytes,
  pageFaults,
  isRenderer: true,
});

describe("overMemory", () => {
  test("ends the largest renderer over its limit, and no other", () => {
    const tree = [main(50), renderer(2, 101), renderer(3, 100), renderer(4, 102)];
    expect(overMemory(tree, limits)).toBe(4);
  });

  test("ends the largest renderer while the tree is over its limit, no other process", () => {
    const tree = [main(60), renderer(2, 80), renderer(3, 95), renderer(4, 90)];
    expect(overMemory(tree, limits)).toBe(3);
    expect(overMemory([main(110)], { ...limits, treeBytes: 100 })).toBeUndefined();
  });

  test("where the browser keeps too much, ends the page that made most, however small", () => {
    const tree = [main(121), renderer(2, 90, 10_000), renderer(3, 5, 400_000)];
    expect(overMemory(tree, limits)).toBe(3);
  });

  test("renews a browser that is large without a page to blame", () => {
    expect(overMemory([main(121), renderer(2, 90, 10_000)], limits)).toBe("browser");
  });
});

test("processTree finds this process and its memory", async () => {
  const [own] = await processTree(process.pid);
  expect(own?.pid).toBe(process.pid);
  expect(own?.bytes).toBeGreaterThan(1_000_000);
});
