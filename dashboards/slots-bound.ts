import type { Heartbeat, SlotsBound } from "../runtime/queue.ts";

/** The resource that keeps the slots of a pool at their number. */
export function boundOf(beats: readonly Heartbeat[]): SlotsBound {
  const bounds = beats.map((beat) => beat.slots_bound ?? "setting");
  // One worker that takes more as calls come suffices for the pool.
  if (bounds.includes("demand")) return "demand";
  const counts = Map.groupBy(bounds, (bound) => bound);
  const [most] = [...counts].toSorted(([, a], [, b]) => b.length - a.length);
  return most?.[0] ?? "setting";
}

/** The bound for people, as in "held by the processors". */
export const boundTexts: Readonly<Record<SlotsBound, string>> = {
  processors: "the processors",
  memory: "memory",
  browser: "the browser's main thread",
  worker: "the worker's own thread",
  quota: "the quota of an upstream",
  maximum: "the most that a worker takes",
  demand: "demand alone",
  setting: "WORKER_SLOTS",
};
