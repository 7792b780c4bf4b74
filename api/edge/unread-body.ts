import type { IncomingMessage, ServerResponse } from "node:http";
import { hasBody } from "./edge.ts";

/** The rest of a shorter body costs less than a new connection. In bytes. */
const longBody = 64 * 1024;
/** A client that still sends has so long to see its answer, in milliseconds. */
const lingerMs = 1000;

/**
 * Closes the connection behind an answer that came before the end of a long body. Node would read the whole rest to
 * reach the next request: refusals of bodies would cost as much as the bodies. The client reads its answer
 * meanwhile, because a connection that is closed over unread bytes is reset.
 */
export function leaveLongBody(request: IncomingMessage, response: ServerResponse): void {
  const { headers, socket } = request;
  if (request.complete || !hasBody(request) || response.headersSent) return;
  if (Number(headers["content-length"] ?? Infinity) <= longBody) return;
  response.setHeader("connection", "close");
  socket.destroySoon = () => {
    socket.end();
    // Node resumes the request in this turn, to dump its rest.
    setImmediate(() => socket.pause());
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };
}
