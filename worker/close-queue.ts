import type { Worker } from "bullmq";
import { setTimeout as sleep } from "node:timers/promises";
import { monotonicNow } from "../runtime/monotonic.ts";

/** Longest wait for Redis to record the end of the last jobs; it may be lost for good. */
export const finalWritesMs = 3000;

/**
 * Takes no new jobs, and waits at most `graceMs` for the running ones. BullMQ waits for running jobs and for
 * Redis without a limit, so this sets one.
 */
export async function closeQueue(
  worker: Pick<Worker, "close">,
  running: () => number,
  graceMs: number,
): Promise<void> {
  let closed = false;
  const closing = worker
    .close()
    .catch(() => undefined)
    .then(() => (closed = true));
  const end = monotonicNow() + graceMs;
  let idleSince = monotonicNow();
  while (!closed && monotonicNow() < end && monotonicNow() - idleSince < finalWritesMs) {
    await Promise.race([closing, sleep(100, undefined, { ref: false })]);
    if (running() > 0) idleSince = monotonicNow();
  }
}
