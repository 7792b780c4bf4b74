/**
 * Preloaded into the API's process: reports how long its event loop was silent, with the processor time that its
 * thread used meanwhile. A silence without processor time is a busy machine's.
 */
const tickMs = 5;
const leastMs = 25;

const spent = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
let at = performance.now();
let used = spent();
setInterval(() => {
  const now = performance.now();
  const ms = now - at - tickMs;
  const own = spent();
  if (ms >= leastMs) {
    process.stdout.write(`silence ${ms.toFixed(0)} ${(own - used).toFixed(0)}\n`);
  }
  at = now;
  used = own;
}, tickMs).unref();

export {};
