import type { Socket } from "node:net";

const idleMs = 10_000;

/** Counts a connection's bytes in both directions. */
export interface WireMeter {
  /** Counts the bytes sent since the last look: only the socket's own counter shows them. */
  countSent(): void;
}

/**
 * Counts what a connection carries and ends it when it has been idle for `mostIdleMs`. A connection that waits for
 * the answer to what the browser sent is not idle, nor is one that waits until the browser has read what came: the
 * job's own deadline bounds both waits.
 */
export function meter(
  socket: Socket,
  count: (bytes: number) => void,
  mostIdleMs = idleMs,
): WireMeter {
  let counted = 0;
  let isWaiting = false;
  const countSent = () => {
    const fresh = socket.bytesWritten - counted;
    counted += fresh;
    if (fresh > 0) count(fresh);
    return fresh > 0;
  };
  socket.on("data", (chunk: Buffer) => {
    countSent();
    isWaiting = false;
    count(chunk.length);
  });
  // The callback of `setTimeout` hears of the first idle time only.
  socket.setTimeout(mostIdleMs).on("timeout", () => {
    const read = socket.bytesRead;
    // After a standstill of this process the timer comes first; bytes that waited are read in the same turn.
    setImmediate(() => {
      if (!isWaiting && !socket.isPaused() && socket.bytesRead === read) socket.destroy();
    });
  });
  return {
    countSent() {
      if (countSent()) isWaiting = true;
    },
  };
}
