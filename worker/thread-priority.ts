import { constants, getPriority, setPriority } from "node:os";
import { workerData } from "node:worker_threads";

/** Data of a thread at its start. */
export interface ThreadData {
  /** Steps of niceness behind the process that starts it. */
  stepsBack: number;
}

/**
 * Steps of threads whose work is long, or for which no caller waits: behind pages (5 steps), before heavy pages (15).
 * On full processors such work goes on with what pages leave.
 */
export const longWorkSteps = 10;

/** Lowers the priority of the calling thread by the steps of its data. Only Linux has priorities of threads. */
export function stepBack(data: unknown = workerData): void {
  const { stepsBack = 0 } = (data ?? {}) as Partial<ThreadData>;
  if (process.platform !== "linux" || stepsBack === 0) return;
  setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + stepsBack));
}
