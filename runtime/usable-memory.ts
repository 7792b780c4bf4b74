import { freemem, totalmem } from "node:os";

/** Share of the memory that a worker and its browsers may fill by the number of jobs that they run. */
const slotsShare = 0.7;

/** Memory in bytes of this process's machine, or of its container where that has a limit. */
export function usableMemory(): number {
  const limited = process.constrainedMemory();
  return limited > 0 && limited < totalmem() ? limited : totalmem();
}

/** Bytes that a worker which uses so many may use in all: on a machine, memory that others have taken is not its own. */
export function slotsMemory(used: number): number {
  const memory = usableMemory();
  // In a container the pages of files that the system keeps would count as taken.
  const isShared = memory === totalmem();
  return slotsShare * (isShared ? Math.min(memory, used + freemem()) : memory);
}
