import type { Worker } from "node:worker_threads";

const shortestCheckMs = 50;

/**
 * Calls `onOver` once the thread has used so much processor time from here on; its clock stands still while a busy
 * machine does not run it.
 */
export function watchTime(worker: Worker, limitMs: number, onOver: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  // A thread that is only starting, or has ended, has no figures.
  const usedMs = () =>
    worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1000,
      () => 0,
    );
  const before = usedMs();
  const check = async () => {
    const left = limitMs - ((await usedMs()) - (await before));
    if (isStopped) return;
    if (left <= 0) onOver();
    else later(left);
  };
  const later = (ms: number) => {
    timer = setTimeout(() => void check(), Math.max(ms, shortestCheckMs));
  };
  later(limitMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
