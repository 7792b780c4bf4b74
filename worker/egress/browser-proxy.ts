import { Agent, createServer, request as httpRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, LookupFunction, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { dialThrough } from "./service.ts";
import { EgressError, resolveChecked } from "./rules.ts";
import type { EgressFault, EgressPolicy } from "./rules.ts";

/** Why a destination could not be reached; `unreachable` covers refused, reset and silent peers. */
export type ProxyFault = EgressFault | "unreachable";

/** What a browser context may use on the network. */
export const wireLimits = { bytes: 50_000_000, connections: 300 };

const idleMs = 10_000;
const connectMs = 10_000;
const maxHeaderBytes = 256 * 1024;

/** Chrome's own update, sync and account services: no page needs them from here. */
const refusedHosts = new Set([
  "accounts.google.com",
  "android.clients.google.com",
  "clients1.google.com",
  "clients2.google.com",
  "clients4.google.com",
  "clientservices.googleapis.com",
  "content-autofill.googleapis.com",
  "edgedl.me.gvt1.com",
  "mtalk.google.com",
  "optimizationguide-pa.googleapis.com",
  "redirector.gvt1.com",
  "safebrowsing.googleapis.com",
  "update.googleapis.com",
]);

/**
 * The only way out of one browser context: a forward proxy on a loopback port of its own, so that
 * every connection belongs to one job. It dials exactly the addresses it has checked.
 *
 * Written on node:http because proxy-chain resolves and dials in one step, does not check literals,
 * and shows byte counts only after a connection has closed.
 */
export interface EgressProxy {
  readonly port: number;
  /** Nothing is dialled before this. `over` is called once when a limit is passed. */
  open(over: (limit: "bytes" | "connections") => void): void;
  /** Why the last attempt at `host:port` failed. */
  faultOf(authority: string): ProxyFault | undefined;
  usage(): { bytes: number; connections: number };
  /** Ends every connection; nothing is dialled any more. */
  close(): void;
}

export async function startEgressProxy(policy: EgressPolicy): Promise<EgressProxy> {
  const faults = new Map<string, ProxyFault>();
  const sockets = new Set<Duplex>();
  const gauges = new Set<Meter>();
  const used = { bytes: 0, connections: 0 };
  let over: ((limit: "bytes" | "connections") => void) | undefined;

  function track(socket: Duplex): void {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => sockets.delete(socket));
  }

  function count(bytes: number): void {
    used.bytes += bytes;
    if (used.bytes > wireLimits.bytes) exceed("bytes");
  }

  function exceed(limit: "bytes" | "connections"): void {
    const report = over;
    over = undefined;
    for (const socket of sockets) socket.destroy();
    report?.(limit);
  }

  async function dial(host: string, port: number): Promise<Socket> {
    const authority = `${host}:${port}`;
    try {
      if (!over) throw new EgressError("blocked", "closed");
      if (refusedHosts.has(host)) throw new EgressError("blocked", "refused host");
      used.connections += 1;
      if (used.connections > wireLimits.connections) {
        exceed("connections");
        throw new EgressError("blocked", "too many connections");
      }
      const socket =
        policy.via === undefined
          ? await connectTo(await resolveChecked(host, port, policy), port)
          : await dialThrough(policy.via, host, port);
      // The socket comes paused from the service; by then whoever asked for it listens.
      if (policy.via !== undefined) setImmediate(() => socket.resume());
      faults.delete(authority);
      track(socket);
      // Shut meanwhile.
      if (!over) {
        socket.destroy();
        throw new EgressError("blocked", "closed");
      }
      const gauge = meter(socket, count);
      gauges.add(gauge);
      socket.once("close", () => gauges.delete(gauge));
      return socket;
    } catch (error) {
      faults.set(authority, error instanceof EgressError ? error.fault : "unreachable");
      throw error;
    }
  }

  // What is sent shows only in the sockets' own counters.
  const watch = setInterval(() => gauges.forEach((gauge) => gauge.sent()), 500).unref();

  const agent = new Agent({ keepAlive: true, timeout: 0, maxFreeSockets: 32 });
  agent.createConnection = (options, done) => {
    dial(String(options.host), Number(options.port)).then(
      (socket) => done?.(null, socket),
      (error: Error) => done?.(error, undefined as never),
    );
    return undefined;
  };

  const server = createServer({ maxHeaderSize: maxHeaderBytes, keepAliveTimeout: idleMs });
  server.requestTimeout = 0;
  server.on("connection", track);
  server.on("upgrade", (_request, socket) => socket.destroy());
  server.on("connect", (request, client, head) => {
    tunnel(request, client, head, dial).catch(() => client.destroy());
  });
  server.on("request", (request, response) => forward(request, response, agent));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  server.unref();

  return {
    port: (server.address() as AddressInfo).port,
    open(report) {
      over = report;
    },
    faultOf: (authority) => faults.get(authority),
    usage: () => ({ ...used }),
    close() {
      over = undefined;
      clearInterval(watch);
      server.close();
      agent.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

type Dial = (host: string, port: number) => Promise<Socket>;

/** Dials the checked addresses only: `lookup` hands them over instead of asking again. */
function connectTo(
  addresses: readonly { address: string; family: 4 | 6 }[],
  port: number,
): Promise<Socket> {
  const lookup: LookupFunction = (_name, options, done) => {
    if (options.all) done(null, [...addresses]);
    else done(null, addresses[0]?.address ?? "", addresses[0]?.family);
  };
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: "checked.invalid",
      port,
      lookup,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: 1000,
      noDelay: true,
    });
    const timer = setTimeout(() => socket.destroy(new Error("connect timed out")), connectMs);
    socket.once("connect", () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.once("error", (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}

interface Meter {
  /** Adds what was sent since the last look. */
  sent(): void;
}

/**
 * Counts both directions and ends a connection that has been idle. One that waits for an answer to what
 * the browser sent is not idle: how long it may wait is the job's own limit.
 */
function meter(socket: Socket, count: (bytes: number) => void): Meter {
  let written = 0;
  let waiting = false;
  const sent = () => {
    const fresh = socket.bytesWritten - written;
    written += fresh;
    if (fresh > 0) count(fresh);
    return fresh > 0;
  };
  socket.on("data", (chunk: Buffer) => {
    sent();
    waiting = false;
    count(chunk.length);
  });
  socket.setTimeout(idleMs, () => {
    if (!waiting) socket.destroy();
  });
  return {
    sent() {
      if (sent()) waiting = true;
    },
  };
}

async function tunnel(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  dial: Dial,
): Promise<void> {
  const target = URL.parse(`https://${request.url ?? ""}`);
  if (!target) {
    client.destroy();
    return;
  }
  const upstream = await dial(target.hostname, Number(target.port || 443)).catch(() => undefined);
  if (!upstream) {
    client.end("HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
  if (head.length > 0) upstream.write(head);
  client.pipe(upstream);
  upstream.pipe(client);
  client.once("close", () => upstream.destroy());
  upstream.once("close", () => client.destroy());
}

const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Plain http. A request that fails ends in a closed connection: an answer of ours would be read as the site's. */
function forward(request: IncomingMessage, response: ServerResponse, agent: Agent): void {
  const target = URL.parse(request.url ?? "");
  if (target?.protocol !== "http:") {
    request.socket.destroy();
    return;
  }
  const upstream = httpRequest({
    agent,
    method: request.method,
    host: target.hostname,
    port: Number(target.port || 80),
    path: `${target.pathname}${target.search}`,
    headers: ["host", target.host, ...endToEnd(request.rawHeaders, "host")],
    setHost: false,
    insecureHTTPParser: true,
    maxHeaderSize: maxHeaderBytes,
  });
  upstream.on("error", () => request.socket.destroy());
  upstream.on("upgrade", (_answer, socket) => {
    socket.destroy();
    request.socket.destroy();
  });
  upstream.on("response", (answer) => {
    answer.on("error", () => request.socket.destroy());
    try {
      response.writeHead(
        answer.statusCode ?? 502,
        answer.statusMessage,
        endToEnd(answer.rawHeaders),
      );
    } catch {
      request.socket.destroy();
      return;
    }
    answer.pipe(response);
    answer.once("aborted", () => request.socket.destroy());
  });
  response.once("close", () => upstream.destroy());
  request.pipe(upstream);
}

function endToEnd(rawHeaders: readonly string[], ...dropped: string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    const lower = name.toLowerCase();
    if (!hopByHop.has(lower) && !dropped.includes(lower)) {
      kept.push(name, rawHeaders[index + 1] ?? "");
    }
  }
  return kept;
}
