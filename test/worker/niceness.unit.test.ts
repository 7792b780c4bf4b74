import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { afterEach, expect, test } from "vitest";
import { lowerPriority } from "../../worker/niceness.ts";

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** An idle process, in a new session or in ours. */
function idle(detached: boolean): number {
  const child = spawn("sleep", ["60"], { detached, stdio: "ignore" });
  started.push(child);
  return child.pid as number;
}

/** A run of tests with a niceness of its own passes it on. */
const inherited = getPriority();
const raised = inherited === 0 ? 5 : inherited;

const sessions = existsSync("/proc/self/autogroup");
const niceOfSession = (pid: number) =>
  Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, "utf8"))?.[1]);

test("a process raises its niceness, and its session's", async () => {
  // The second follows within a tenth of a second, because the kernel delays it for users other
  // than root.
  const pids = [idle(true), idle(true)];
  await Promise.all(pids.map((pid) => lowerPriority(5, pid)));
  expect(pids.map((pid) => getPriority(pid))).toEqual([raised, raised]);
  if (sessions) expect(pids.map(niceOfSession)).toEqual([5, 5]);
});

test("threads that run already raise theirs", async () => {
  const script = "setInterval(() => undefined, 1e6); console.log(1)";
  const child = spawn(process.execPath, ["--eval", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  started.push(child);
  await once(child.stdout, "data");
  const pid = child.pid as number;
  await lowerPriority(5, pid);
  const threads = sessions ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
  expect(threads.map((thread) => getPriority(thread))).toEqual(threads.map(() => raised));
  if (sessions) expect(threads.length).toBeGreaterThan(1);
});

test("an existing niceness is kept", async () => {
  const pid = idle(true);
  const own = Math.min(19, inherited + 3);
  setPriority(pid, own);
  await lowerPriority(5, pid);
  expect(getPriority(pid)).toBe(own);
});

test("other sessions are left alone, and so is everything when 0 is requested", async () => {
  const [ours, own] = [idle(false), idle(true)];
  await lowerPriority(5, ours);
  await lowerPriority(0, own);
  expect([getPriority(ours), getPriority(own)]).toEqual([raised, inherited]);
  if (sessions)
    expect([niceOfSession(ours), niceOfSession(own)]).toEqual([niceOfSession(process.pid), 0]);
});

test("a missing process is ignored", async () => {
  const child = spawn("true", { stdio: "ignore" });
  await new Promise((resolve) => child.once("exit", resolve));
  await expect(lowerPriority(5, child.pid as number)).resolves.toBeUndefined();
});
