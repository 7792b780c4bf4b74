import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Duplex, Readable } from "node:stream";
import { GatewayError, invalid } from "../../contract/errors.ts";
import { errorBody } from "../envelope.ts";
import { countOf } from "../headers.ts";
import { commonHeaders, errorHeaders, newRequestId } from "../reply.ts";

/** What Node answers before any route is asked, in the gateway's own envelope. */

/** A body is there after this time, in milliseconds; where it is taken in as it comes, its next bytes are. */
const bodyMs = 15_000;
/** A whole request, however it is taken in. */
const requestMs = 600_000;
/** More header lines than this are refused; the parser itself bounds their total size. */
const headerLinesLimit = 200;

export const serverOptions = {
  headersTimeout: 10_000,
  requestTimeout: requestMs,
  connectionsCheckingInterval: 2_000,
  // A missing Host is refused below, in the envelope.
  requireHostHeader: false,
  // Beyond its own limit Node drops header lines without a word.
  maxHeadersCount: 0,
  // Every other upgrade is an offer that HTTP lets a server ignore: Java and curl make one to h2c.
  shouldUpgradeCallback: (request: IncomingMessage) =>
    /(^|,)\s*websocket\s*(,|$)/i.test(request.headers.upgrade ?? ""),
};

export function checkRequestLine(request: IncomingMessage): void {
  if (request.rawHeaders.length > headerLinesLimit * 2) {
    throw invalid("header", "", "too_many", `More than ${headerLinesLimit} header lines`, {
      status: 431,
    });
  }
  if (countOf(request, "host") !== 1 && request.httpVersion !== "1.0") {
    throw invalid("header", "Host", "required", "Host: exactly one is required");
  }
  // Node would take the first and drop the others without a word.
  if (countOf(request, "authorization") > 1) {
    const message = "Authorization: is sent more than once";
    throw invalid("header", "Authorization", "duplicate", message);
  }
  if (request.headers["content-encoding"] !== undefined) {
    const message = "Content-Encoding: the body must be sent as it is";
    throw invalid("header", "Content-Encoding", "unsupported", message, { status: 415 });
  }
}

/** Writes an error straight to the socket and closes it. */
function refuse(socket: Duplex, error: GatewayError): void {
  if (socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const body = errorBody(error, requestId);
  const headers = {
    ...commonHeaders(requestId),
    ...errorHeaders(error),
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

/** A request that the HTTP parser gave up on. */
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

/** Requests of which bytes are waited for. */
const late = new WeakMap<IncomingMessage, NodeJS.Timeout>();

function came(request: IncomingMessage): void {
  clearTimeout(late.get(request));
  late.delete(request);
}

function awaitBody(request: IncomingMessage, withinMs: number): void {
  came(request);
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => {
    // What has arrived while this process was busy is read first.
    setImmediate(() => {
      if (late.get(request) === timer && !request.complete)
        refuse(request.socket, parserError("ERR_HTTP_REQUEST_TIMEOUT"));
    });
  }, withinMs);
  late.set(request, timer);
}

/**
 * A long body in pieces. Only the time in which its sender is waited for counts: not how long it takes as
 * a whole, nor what the gateway takes to store a piece while the next ones wait on the connection.
 */
export async function* inPieces(
  request: IncomingMessage,
  body: Readable,
  withinMs = bodyMs,
): AsyncGenerator<Buffer> {
  // The stream stays whole when reading ends early: the answer goes out over the same connection.
  const pieces = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  try {
    for (;;) {
      awaitBody(request, withinMs);
      const { done, value } = await pieces.next();
      came(request);
      if (done) return;
      yield value;
    }
  } finally {
    // What nobody reads is waited for like any body.
    awaitBody(request, withinMs);
  }
}

/** The time of bodies, and requests that Node hands to events of their own instead of to the routes. */
export function guardServer(server: Server, withinMs = bodyMs): void {
  server.on("request", (request: IncomingMessage) => {
    const { headers } = request;
    if (headers["transfer-encoding"] === undefined && !(Number(headers["content-length"]) > 0))
      return;
    // A short body comes with its head and needs no timer.
    setImmediate(() => {
      if (request.complete || request.destroyed) return;
      request.once("close", () => came(request));
      if (!late.has(request)) awaitBody(request, withinMs);
    });
  });
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
    );
  });
  // Those that `shouldUpgradeCallback` lets through.
  server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
    refuse(socket, invalid("header", "Upgrade", "unsupported", "Upgrade: is not supported"));
  });
}
