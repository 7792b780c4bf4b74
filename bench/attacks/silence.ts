import { readFileSync } from "node:fs";

/**
 * Preloaded into the API's process, and into one beside it that does nothing else: reports how long the event loop
 * was silent, with the processor time that its thread used meanwhile and the time in which it waited for a processor.
 * A silence that the process beside it has as well is the machine's.
 */
const tickMs = 5;
const leastMs = 10;

const spent = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
/** Milliseconds in which the thread was ready to run and another one had its processor; 0 where it is not known. */
const waited = () => {
  try {
    const [, ns] = readFileSync("/proc/thread-self/schedstat", "utf8").split(" ");
    return Number(ns) / 1e6;
  } catch {
    return 0;
  }
};
const seen = () => ({ at: performance.now(), spent: spent(), waited: waited() });
let last = seen();
setInterval(() => {
  const next = seen();
  const ms = next.at - last.at - tickMs;
  if (ms >= leastMs) {
    const own = next.spent - last.spent;
    const wait = next.waited - last.waited;
    const end = performance.timeOrigin + next.at;
    const figures = [ms, own, wait, end].map((figure) => figure.toFixed(0));
    process.stdout.write(`silence ${figures.join(" ")}\n`);
  }
  last = next;
}, tickMs).unref();
