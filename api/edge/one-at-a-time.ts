import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of a connection that may wait behind the one being served; more close the connection. */
export const mostPipelined = 16;

/** The answer of Node's own listener to a request that takes over the connection: its parser stops there. */
const endsParsing = 2;

/**
 * Closes a connection in the middle of a chunk. Node would still make a request and an answer of every further one in
 * it, 30 ms for the 700 that 64 KB may hold, and reads all connections that have bytes in one turn. Its parser is
 * no documented part; without one only the time is lost.
 */
function drop(socket: Socket): void {
  socket.destroy();
  const { parser } = socket as { parser?: { onIncoming?: unknown } | null };
  if (parser?.onIncoming) parser.onIncoming = () => endsParsing;
}

type Pair = [IncomingMessage, ServerResponse];

/**
 * Serves the pipelined requests of a connection one after another, each in its own turn of the event loop: Node
 * emits all requests of a chunk at once, and 64 KB hold 600 of them. Requests behind an answer that closes the
 * connection are dropped.
 */
export function oneAtATime(serve: RequestListener): RequestListener {
  /** By connection that has a request being served: the others. */
  const waiting = new WeakMap<Socket, Pair[]>();

  function start(socket: Socket, behind: Pair[], [request, response]: Pair): void {
    response.once("close", () => {
      if (behind.length === 0) waiting.delete(socket);
      else setImmediate(next, socket, behind);
    });
    serve(request, response);
  }

  function next(socket: Socket, behind: Pair[]): void {
    const pair = behind.shift();
    // A closing connection is still open for a moment, while its last answer is written.
    if (!pair || socket.destroyed || !socket.writable) return;
    start(socket, behind, pair);
  }

  return (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const behind = waiting.get(socket);
    if (!behind) {
      const none: Pair[] = [];
      waiting.set(socket, none);
      start(socket, none, [request, response]);
    } else if (behind.length < mostPipelined) behind.push([request, response]);
    else drop(socket);
  };
}
