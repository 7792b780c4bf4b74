import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** The kernel accepts one change per tenth of a second from an ordinary user. */
const pauseMs = 150;
const mostTries = 10;

/**
 * Lowers the priority of a process, so that an API on the same machine answers while jobs keep it busy.
 * A niceness that is already set stays. `nice` is 0 (no change) to 19.
 */
export async function lowerPriority(nice: number, pid = process.pid): Promise<void> {
  if (nice === 0) return;
  try {
    if (getPriority(pid) === constants.priority.PRIORITY_NORMAL) lowerThreads(nice, pid);
  } catch {
    // The process has ended, or belongs to another user.
  }
  await stepBackAsSession(nice, pid);
}

/**
 * Linux has a niceness for each thread, and a process id means its first thread alone: threads that run already, such
 * as those of V8's garbage collection, would keep theirs.
 */
function lowerThreads(nice: number, pid: number): void {
  setPriority(pid, nice);
  for (const thread of threadsOf(pid)) {
    try {
      if (getPriority(thread) === constants.priority.PRIORITY_NORMAL) setPriority(thread, nice);
    } catch {
      // The thread has ended.
    }
  }
}

function threadsOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [];
  }
}

/**
 * Sets the niceness of the process's session. Linux divides processors between sessions first (autogroup,
 * sched(7)), so that a process's niceness counts only within its session, outside of control groups.
 */
async function stepBackAsSession(nice: number, pid: number): Promise<void> {
  const file = `/proc/${pid}/autogroup`;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    try {
      // A process that leads no session shares a shell's session with others.
      if (sessionOf(pid) !== pid || !readFileSync(file, "utf8").trimEnd().endsWith("nice 0"))
        return;
      writeFileSync(file, String(nice));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") return;
      await sleep(pauseMs);
    }
  }
}

function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The command's name, in brackets, may contain blanks and brackets.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
}
