import { pino } from "pino";

/** Bytes of lines that wait for the disk; what comes after them is lost. */
const mostWaiting = 1024 ** 2;

/**
 * Standard output for the lines of a process's log. A full disk behind it costs lines, not the process: without a
 * listener a failed write ends the process, and the flush at its end repeats the write until it succeeds.
 */
export function logDestination() {
  const stream = pino.destination({ dest: 1, maxLength: mostWaiting });
  const flushSync = stream.flushSync.bind(stream);
  stream.on("error", () => (stream.flushSync = () => {}));
  stream.on("write", () => (stream.flushSync = flushSync));
  return stream;
}
