import { spawnSync } from "node:child_process";
import { performance } from "node:perf_hooks";

/** Node takes 110 ms to start on a machine where four files at once made ten tests red, all by time. */
const slowStartMs = 80;
const starts = 3;

/** How long Node takes to start, in milliseconds: tests start processes above all. */
function startMs(): number {
  const from = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - from;
}

/** One start may be slow by chance. */
const isSlow = () => Array.from({ length: starts }).every(() => startMs() > slowStartMs);

/**
 * Test files that run at the same time. Each runs several processes (a browser, servers, workers), and waits a third
 * of its time. Four keep two processors busy; three leave a tenth of them idle. On a slow or busy machine two do,
 * because what a test waits for there would take longer than the gateway's own time limits.
 */
export const filesAtOnce = (): number => (isSlow() ? 2 : 4);
