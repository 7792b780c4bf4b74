import { readFileSync, writeFileSync } from "node:fs";
import { constants, getPriority, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** The kernel takes one change in a tenth of a second from whoever is not root. */
const pauseMs = 150;
const mostTries = 10;

/**
 * Lets others go first where processors are short: the API of the same machine answers while jobs keep it busy.
 * A process that somebody has given a niceness keeps it. `nice` is 0 (not at all) to 19.
 */
export async function stepBack(nice: number, pid = process.pid): Promise<void> {
  if (nice === 0) return;
  try {
    if (getPriority(pid) === constants.priority.PRIORITY_NORMAL) setPriority(pid, nice);
  } catch {
    // It is gone, or another user's.
  }
  await stepBackAsSession(nice, pid);
}

/**
 * Linux shares processors between sessions first, where they are in no control group of their own: there the
 * niceness of a process counts within its session only, which has one as well (sched(7), autogroup).
 */
async function stepBackAsSession(nice: number, pid: number): Promise<void> {
  const file = `/proc/${pid}/autogroup`;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    try {
      // Whoever leads no session is in that of a shell, with others.
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
  // The name of the command, in brackets, may hold anything.
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[3]);
}
