import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { LargePages } from "../../../../worker/browser/chromium/large-pages.ts";
import { overMemory, overTogether } from "../../../../worker/browser/chromium/memory.ts";
import { processTree } from "../../../../worker/browser/chromium/process-tree.ts";

const limits = { rendererBytes: 100, sharedBytes: 120, treeBytes: 300 };
const main = (bytes: number) => ({
  pid: 1,
  parent: 0,
  bytes,
  peakBytes: bytes,
  isRenderer: false,
  pageFaults: 9e9,
});
const renderer = (pid: number, bytes: number, pageFaults = 0) => ({
  pid,
  parent: 1,
  bytes,
  peakBytes: bytes,
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

  test("where the browser itself takes too much, ends the page that created most, however small", () => {
    const tree = [main(121), renderer(2, 90, 10_000), renderer(3, 5, 400_000)];
    expect(overMemory(tree, limits)).toBe(3);
  });

  test("replaces a large browser without a page to blame", () => {
    expect(overMemory([main(121), renderer(2, 90, 10_000)], limits)).toBe("browser");
  });
});

test("overTogether ends the largest renderer of all browsers while they take too much together", () => {
  const trees = [
    [main(90), renderer(2, 60), renderer(3, 80)],
    [main(70), renderer(5, 99), renderer(6, 1)],
  ];
  expect(overTogether(trees, 399)?.pid).toBe(5);
  expect(overTogether(trees, 400)).toBeUndefined();
  expect(overTogether([[main(500)]], 400)).toBeUndefined();
});

test("a page is told as large from three fifths of its limit on, each time that it has grown by a tenth", () => {
  const large = new LargePages(1000);
  const told = (sizes: number[]) => sizes.map((bytes) => large.look([renderer(2, bytes)]));
  expect(told([600, 601, 700, 702, 802])).toEqual([false, true, false, true, false]);
  // After a collection it may grow again, but not for ever.
  expect(told([650, 750, 751])).toEqual([false, false, true]);
  const often = told(Array.from({ length: 40 }, (_, look) => (look % 2 ? 900 : 300)));
  expect(often.filter(Boolean)).toHaveLength(5);
  expect(large.look([renderer(2, 900), renderer(3, 650)])).toBe(true);
  // Another process may have the pid of one that has gone.
  large.look([]);
  expect(large.look([renderer(2, 650)])).toBe(true);
});

test("processTree finds this process and its memory", async () => {
  const [own] = await processTree(process.pid);
  expect(own?.pid).toBe(process.pid);
  expect(own?.bytes).toBeGreaterThan(1_000_000);
});

test("processTree with an earlier result adds new processes and drops ended ones", async () => {
  const parents = new Map<number, number>();
  const pids = async () => (await processTree(process.pid, parents)).map(({ pid }) => pid);
  const begin = async () => {
    const child = spawn("sh", ["-c", "sleep 600 & echo $!; wait"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    return { child, pid: child.pid as number, grandchild: Number(String(line)) };
  };
  const end = async ({ child, grandchild }: Awaited<ReturnType<typeof begin>>) => {
    const gone = once(child, "exit");
    // Its child lives on, with another parent.
    child.kill("SIGKILL");
    await gone;
    expect(await pids()).not.toContain(grandchild);
    process.kill(grandchild, "SIGKILL");
  };
  const first = await begin();
  expect(await pids()).toEqual(expect.arrayContaining([first.pid, first.grandchild]));
  const second = await begin();
  expect(await pids()).toEqual(
    expect.arrayContaining([first.pid, first.grandchild, second.pid, second.grandchild]),
  );
  await end(first);
  expect(await pids()).toEqual(expect.arrayContaining([second.pid, second.grandchild]));
  await end(second);
  expect(await pids()).not.toContain(second.pid);
});
