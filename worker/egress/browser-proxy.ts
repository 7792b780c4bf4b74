import { Agent, createServer, request as httpRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { dialChecked } from "./dial.ts";
import { dialThrough } from "./service.ts";
import { EgressError } from "../../runtime/egress/rules.ts";
import type { EgressFault, EgressPolicy } from "../../runtime/egress/rules.ts";
import { meter } from "./wire-meter.ts";
import type { WireMeter } from "./wire-meter.ts";

/** Why a destination could not be reached; `unreachable` covers refused, reset and silent peers. */
export type ProxyFault = EgressFault | "unreachable";

/** Network limits of a browser context. */
export const wireLimits = { bytes: 50_000_000, connections: 300 };

type WireLimit = keyof typeof wireLimits;

const keepAliveMs = 10_000;
const countSentEveryMs = 500;
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
 * The SSRF filter of one browser context, and its only way out: a forward proxy on a loopback port of its own, so
 * that every connection belongs to one job. It dials only addresses that the filter has checked.
 *
 * Written on node:http because proxy-chain resolves and dials in one step, does not check literals,
 * and shows byte counts only after a connection has closed.
 */
export class EgressProxy {
  readonly #policy: EgressPolicy;
  readonly #server = createServer({
    maxHeaderSize: maxHeaderBytes,
    keepAliveTimeout: keepAliveMs,
  });
  readonly #agent = new Agent({ keepAlive: true, timeout: 0, maxFreeSockets: 32 });
  readonly #faults = new Map<string, ProxyFault>();
  readonly #sockets = new Set<Duplex>();
  readonly #meters = new Set<WireMeter>();
  readonly #used = { bytes: 0, connections: 0 };
  readonly #timer: NodeJS.Timeout;
  /** Set while the proxy is open. */
  #onLimit: ((limit: WireLimit) => void) | undefined;

  constructor(policy: EgressPolicy) {
    this.#policy = policy;
    this.#agent.createConnection = (options, done) => {
      this.#dial(String(options.host), Number(options.port)).then(
        (socket) => done?.(null, socket),
        (error: Error) => done?.(error, undefined as never),
      );
      return undefined;
    };
    this.#server.requestTimeout = 0;
    this.#server.on("connection", (socket) => this.#track(socket));
    this.#server.on("upgrade", (_request, socket) => socket.destroy());
    this.#server.on("connect", (request, client, head) => {
      const dial: Dial = (host, port) => this.#dial(host, port);
      tunnel(request, client, head, dial).catch(() => client.destroy());
    });
    this.#server.on("request", (request, response) => forward(request, response, this.#agent));
    this.#timer = setInterval(() => {
      for (const one of this.#meters) one.countSent();
    }, countSentEveryMs).unref();
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(0, "127.0.0.1", resolve);
    });
    this.#server.unref();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Lets the context out; the proxy dials nothing before. Calls `onLimit` once, when a limit is passed. */
  open(onLimit: (limit: WireLimit) => void): void {
    this.#onLimit = onLimit;
  }

  /** Why the last attempt at `host:port` failed. */
  faultOf(authority: string): ProxyFault | undefined {
    return this.#faults.get(authority);
  }

  usage(): { bytes: number; connections: number } {
    return { ...this.#used };
  }

  /** Ends every connection; the proxy dials nothing any more. */
  close(): void {
    this.#onLimit = undefined;
    clearInterval(this.#timer);
    this.#server.close();
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
  }

  #track(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#sockets.delete(socket));
  }

  #count(bytes: number): void {
    this.#used.bytes += bytes;
    if (this.#used.bytes > wireLimits.bytes) this.#exceed("bytes");
  }

  #exceed(limit: WireLimit): void {
    const report = this.#onLimit;
    this.#onLimit = undefined;
    for (const socket of this.#sockets) socket.destroy();
    report?.(limit);
  }

  async #dial(host: string, port: number): Promise<Socket> {
    const authority = `${host}:${port}`;
    try {
      this.#admit(host);
      const socket = await this.#connect(host, port);
      this.#faults.delete(authority);
      this.#track(socket);
      // The proxy may have been closed while the socket was dialled.
      if (!this.#onLimit) {
        socket.destroy();
        throw new EgressError("blocked", "closed");
      }
      const counter = meter(socket, (bytes) => this.#count(bytes));
      this.#meters.add(counter);
      socket.once("close", () => this.#meters.delete(counter));
      return socket;
    } catch (error) {
      this.#faults.set(authority, error instanceof EgressError ? error.fault : "unreachable");
      throw error;
    }
  }

  /** Counts a connection that is about to be dialled; throws when it may not be. */
  #admit(host: string): void {
    if (!this.#onLimit) throw new EgressError("blocked", "closed");
    if (refusedHosts.has(host)) throw new EgressError("blocked", "refused host");
    this.#used.connections += 1;
    if (this.#used.connections > wireLimits.connections) {
      this.#exceed("connections");
      throw new EgressError("blocked", "too many connections");
    }
  }

  async #connect(host: string, port: number): Promise<Socket> {
    const { via } = this.#policy;
    if (via === undefined) return dialChecked(host, port, this.#policy);
    const socket = await dialThrough(via, host, port);
    // The egress service hands over a paused socket, so that its reader can listen first.
    setImmediate(() => socket.resume());
    return socket;
  }
}

export async function startEgressProxy(policy: EgressPolicy): Promise<EgressProxy> {
  const proxy = new EgressProxy(policy);
  await proxy.listen();
  return proxy;
}

type Dial = (host: string, port: number) => Promise<Socket>;

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

/** Plain http. A failed request closes the connection, because an answer from the proxy would look like the site's own. */
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
