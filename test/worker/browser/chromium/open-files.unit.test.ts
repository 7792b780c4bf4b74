import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { OpenFiles } from "../../../../worker/browser/chromium/open-files.ts";

const onLinux = test.runIf(process.platform === "linux");
const statOf = ({ pid }: ChildProcess) => `/proc/${pid}/stat`;
const sleeper = () => spawn("sleep", ["60"], { stdio: "ignore" });

async function end(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Files of this process that are open on a path of `/proc`. */
const openFiles = () => readdirSync("/proc/self/fd").length;

onLinux(
  "an open file shows what is there now, and nothing once its process has ended",
  async () => {
    const files = new OpenFiles(8);
    const own = Number(files.read("/proc/self/schedstat")?.split(" ")[0]);
    for (const until = performance.now() + 20; performance.now() < until;);
    expect(Number(files.read("/proc/self/schedstat")?.split(" ")[0])).toBeGreaterThan(own);
    const child = sleeper();
    expect(files.read(statOf(child))).toMatch(new RegExp(`^${child.pid} \\(sleep\\) `));
    expect(files.count).toBe(2);
    await end(child);
    expect(files.read(statOf(child))).toBeUndefined();
    expect(files.count).toBe(1);
    expect(files.read("/proc/self/nothing")).toBeUndefined();
  },
);

onLinux("beyond the limit the file not read for longest is closed", async () => {
  const before = openFiles();
  const files = new OpenFiles(2);
  const children = [sleeper(), sleeper(), sleeper()] as const;
  const [first, second, third] = children;
  for (const one of [first, second, first, third])
    expect(files.read(statOf(one))).toContain("sleep");
  expect(files.count).toBe(2);
  // Of the three only the second was closed, and it is opened again.
  expect(files.read(statOf(first))).toContain("sleep");
  expect(files.read(statOf(second))).toContain("sleep");
  expect(files.count).toBe(2);
  expect(openFiles()).toBe(before + 2);
  await Promise.all(children.map(end));
  for (const one of children) expect(files.read(statOf(one))).toBeUndefined();
  expect(files.count).toBe(0);
  expect(openFiles()).toBe(before);
});
