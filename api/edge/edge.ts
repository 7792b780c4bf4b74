import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { GatewayError, beginning, invalid } from "../../contract/errors.ts";
import { errorBody } from "../envelope.ts";
import { countOf } from "../headers.ts";
import { commonHeaders, errorHeaders, newRequestId } from "../reply.ts";
import { oneAtATime } from "./one-at-a-time.ts";

// An import of node:http loads Node's `fetch` with it, which is slow to load.
const { STATUS_CODES, createServer } = process.getBuiltinModule("node:http");

/** Limits of the HTTP server, and its refusals before any route, in the gateway's own envelope. */

/** A body must arrive within this time, in milliseconds; a streamed one must send its next bytes within it. */
const bodyMs = 15_000;
/** The limit of a whole request, streamed ones too. */
const requestMs = 600_000;
/** Header lines beyond this number are refused; the parser itself bounds their total size. */
const headerLinesLimit = 200;

const serverOptions = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: requestMs,
  connectionsCheckingInterval: 2_000,
  // A missing Host is refused below, in the envelope.
  requireHostHeader: false,
  // With a limit of its own Node would drop header lines silently.
  maxHeadersCount: 0,
  // HTTP lets a server ignore an upgrade; Java and curl offer one to h2c. Only WebSocket is refused.
  shouldUpgradeCallback: (request: IncomingMessage) =>
    /(^|,)\s*websocket\s*(,|$)/i.test(request.headers.upgrade ?? ""),
};

export function checkRequestLine(request: IncomingMessage): void {
  if (request.rawHeaders.length > headerLinesLimit * 2) {
    throw invalid("header", "", "too_many", `More than ${headerLinesLimit} header lines`, {
      status: 431,
    });
  }
  checkHost(request);
  // Node would take the first one and drop the others silently.
  if (countOf(request, "authorization") > 1) {
    const message = "Authorization: is sent more than once";
    throw invalid("header", "Authorization", "duplicate", message);
  }
  if (request.headers["content-encoding"] !== undefined) {
    const message = "Content-Encoding: the body must be sent as it is";
    throw invalid("header", "Content-Encoding", "unsupported", message, { status: 415 });
  }
  const charset = charsetOf(request.headers["content-type"]);
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    const message = `Content-Type: the charset must be utf-8, not ${beginning(charset)}`;
    throw invalid("header", "Content-Type", "unsupported_charset", message, { status: 415 });
  }
}

/** `uri-host [":" port]` of RFC 3986; empty where the target of the request names no host (RFC 9112, 3.2). */
const hostRule =
  /^(?:\[[0-9a-f:.]+\]|\[v[0-9a-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})*)(?::\d*)?$/i;

function checkHost(request: IncomingMessage): void {
  const count = countOf(request, "host");
  if (count > 1 || (count === 0 && request.httpVersion !== "1.0"))
    throw invalid("header", "Host", "required", "Host: exactly one is required");
  if (!hostRule.test(request.headers.host ?? ""))
    throw invalid("header", "Host", "invalid_format", "Host: must be a host name and a port");
}

function charsetOf(contentType: string | undefined): string | undefined {
  const [, quoted, bare] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(contentType ?? "") ?? [];
  return quoted ?? bare;
}

/** The methods of the gateway, in the order of `Allow`. */
export const methodOrder = ["GET", "HEAD", "POST", "PATCH", "DELETE"];

/** The methods whose bodies are read. */
const withBody = new Set(["POST", "PATCH", "PUT"]);
export const readsBody = ({ method = "" }: IncomingMessage): boolean => withBody.has(method);

/** Refuses a body that would have no effect: a caller who sends one relies on its content. */
export function checkBodyless(request: IncomingMessage): void {
  const { method = "" } = request;
  if (readsBody(request) || !hasBody(request)) return;
  throw invalid("body", "", "unexpected", `${method} takes no body`);
}

/** Writes an error straight to the socket and closes it. */
function refuse(
  socket: Duplex,
  error: GatewayError,
  more: Readonly<Record<string, string>> = {},
): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const body = errorBody(error, requestId);
  const headers = {
    ...commonHeaders(requestId),
    ...errorHeaders(error),
    ...more,
    "content-length": String(body.length),
    connection: "close",
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(
    Buffer.concat([
      Buffer.from(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${head.join("")}\r\n`),
      body,
    ]),
  );
  // A caller that never reads its answer must not keep the socket.
  setTimeout(() => socket.destroy(), 1000).unref();
}

/** Refuses a request that the HTTP parser could not read. */
export function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  refuse(socket, parserError(error.code));
}

function parserError(code: string | undefined): GatewayError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return invalid("header", "", "timeout", "The request was not received in time", {
        status: 408,
      });
    case "HPE_HEADER_OVERFLOW":
      return invalid("header", "", "too_large", "The headers are too large", { status: 431 });
    default:
      return invalid("header", "", "malformed_http", "The request is not valid HTTP");
  }
}

/** Requests whose next bytes are awaited, with the timer of each. */
const timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();

function stopTimer(request: IncomingMessage): void {
  clearTimeout(timers.get(request));
  timers.delete(request);
}

function awaitBody(request: IncomingMessage, withinMs: number): void {
  stopTimer(request);
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => {
    // Read the bytes that arrived while this process was busy first.
    setImmediate(() => {
      if (timers.get(request) === timer && !request.complete)
        refuse(request.socket, parserError("ERR_HTTP_REQUEST_TIMEOUT"));
    });
  }, withinMs);
  timers.set(request, timer);
}

/**
 * Yields a long body in pieces. Only the time spent waiting for the sender counts, not the total time, and not
 * the time the gateway takes to store a piece while the next ones wait on the connection (back-pressure).
 */
export async function* inPieces(
  request: IncomingMessage,
  body: Readable,
  withinMs = bodyMs,
): AsyncGenerator<Buffer> {
  // Keep the stream when reading ends early: the answer goes out over the same connection.
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  try {
    for (;;) {
      awaitBody(request, withinMs);
      const { done, value } = await pieces.next();
      stopTimer(request);
      if (done) return;
      yield value;
    }
  } finally {
    // The unread rest has a time limit like any body.
    awaitBody(request, withinMs);
  }
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"]) > 0;

/** Many clients name a form's type with an empty body, which needs no parser. */
export function dropTypeOfNothing(request: IncomingMessage): void {
  const { headers } = request;
  if (!hasBody(request) && !/json/i.test(headers["content-type"] ?? ""))
    delete headers["content-type"];
}

/** Limits the time of bodies, from the moment when their requests are served. */
export function limitBodies(serve: RequestListener, withinMs = bodyMs): RequestListener {
  return (request, response) => {
    serve(request, response);
    if (!hasBody(request)) return;
    // A short body arrives with its head and needs no timer.
    setImmediate(() => {
      if (request.complete || request.destroyed) return;
      request.once("close", () => stopTimer(request));
      if (!timers.has(request)) awaitBody(request, withinMs);
    });
  };
}

/** The HTTP server for callers; `serve` gets the requests of a connection one at a time. */
export const serverFor = (serve: RequestListener): Server =>
  createServer(serverOptions, oneAtATime(limitBodies(serve)));

/** Refuses requests that Node emits as events of their own instead of routing them. */
export function guardServer(server: Server): void {
  server.on("checkExpectation", (_request: IncomingMessage, response: ServerResponse) => {
    const error = invalid("header", "Expect", "unsupported", "Expect: is not supported", {
      status: 417,
    });
    const requestId = newRequestId();
    const body = errorBody(error, requestId);
    response.writeHead(417, {
      ...commonHeaders(requestId),
      "content-length": String(body.length),
      connection: "close",
    });
    response.end(body);
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    refuse(
      socket,
      invalid("header", "", "method_not_allowed", "CONNECT is not allowed", { status: 405 }),
      { allow: methodOrder.join(", ") },
    );
  });
  // Only WebSocket upgrades get here, see `shouldUpgradeCallback`.
  server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
    refuse(socket, invalid("header", "Upgrade", "unsupported", "Upgrade: is not supported"));
  });
}
