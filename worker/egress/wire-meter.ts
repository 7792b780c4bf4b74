import type { Socket } from "node:net";

const idleMs = 10_000;

/** Counts a connection's bytes in both directions. */
export interface WireMeter {
  /** Counts the bytes sent since the last look: only the socket's own counter shows them. */
  countSent(): void;
}

/**
 * Counts what a connection carries and ends it when it has been idle. A connection that waits for the answer to
 * what the browser sent is not idle: the job's own deadline bounds that wait.
 */
export function meter(socket: Socket, count: (bytes: number) => void): WireMeter {
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
  socket.setTimeout(idleMs, () => {
    if (!isWaiting) socket.destroy();
  });
  return {
    countSent() {
      if (countSent()) isWaiting = true;
    },
  };
}
