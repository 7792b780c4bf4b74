import { totalmem } from "node:os";

/** Memory in bytes of this process's machine, or of its container where that has a limit. */
export function usableMemory(): number {
  const limited = process.constrainedMemory();
  return limited > 0 && limited < totalmem() ? limited : totalmem();
}
