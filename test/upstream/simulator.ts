import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Fault, play, type Rendered, whole } from "./faults.ts";

/** One request as it arrived. */
export interface Recorded {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  /** Parsed where it is JSON, else text. */
  body: unknown;
  /** Unix time in milliseconds. */
  at: number;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string>;
  /** A string is sent unchanged, anything else as JSON. */
  body?: unknown;
}

/** `parts` are the `{name}` parts of the path, decoded. */
export type Handler = (
  request: Recorded,
  parts: Record<string, string>,
) => Answer | Promise<Answer>;

/** Wire format of one provider: registers its paths. */
export type Provider = (simulator: Simulator) => void;

export interface Script {
  /** Played one per request, in order. */
  faults: Fault[];
  /** Played after them; the usual answer when absent. */
  rest?: Fault;
}

export interface Simulator {
  url: string;
  port: number;
  /** `path` may hold `{name}` parts. */
  on(method: "GET" | "POST", path: string, handler: Handler): void;
  /**
   * Plays faults on a path's requests ("*": on all paths without their own); replaces the rest of
   * an earlier script.
   */
  play(path: string, script: Script): void;
  /** All requests so far, or those of one path. */
  calls(path?: string): Recorded[];
  /** Answers the requests that `hold` keeps waiting; later ones wait for the next release. */
  release(): void;
  /** Connections open right now. */
  sockets(): number;
  /** Most concurrently answered requests since the last reset. */
  most(): number;
  /** Removes calls and scripts, and releases. */
  reset(): void;
  stop(): Promise<void>;
}

/** Paths under this prefix control a simulator from another process. */
export const controlPrefix = "/__simulator/";

interface Route {
  method: string;
  rule: RegExp;
  handler: Handler;
}

/** Starts a real HTTP server that replaces upstream providers and misbehaves on demand. */
export async function startSimulator(
  providers: readonly Provider[] = [],
  options: { port?: number; host?: string } = {},
): Promise<Simulator> {
  const routes: Route[] = [];
  const scripts = new Map<string, { faults: Fault[]; rest: Fault }>();
  const sockets = new Set<Socket>();
  let calls: Recorded[] = [];
  let held = Promise.withResolvers<void>();
  let running = 0;
  let most = 0;

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else whole(response, render({ status: 500, body: String(error) }));
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("close", () => sockets.delete(socket));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://simulator");
    const recorded: Recorded = {
      method: request.method ?? "GET",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: flatten(request.headers),
      body: await bodyOf(request),
      at: Date.now(),
    };
    if (url.pathname.startsWith(controlPrefix)) return whole(response, render(control(recorded)));
    calls.push(recorded);
    running += 1;
    most = Math.max(most, running);
    response.once("close", () => (running -= 1));
    const fault = nextFault(url.pathname);
    if (fault.kind === "hold") await held.promise;
    await play(fault, render(await usual(recorded)), response);
  }

  function nextFault(path: string): Fault {
    const script = scripts.get(path) ?? scripts.get("*");
    return script?.faults.shift() ?? script?.rest ?? { kind: "pass" };
  }

  async function usual(request: Recorded): Promise<Answer> {
    for (const { method, rule, handler } of routes) {
      const found = method === request.method ? rule.exec(request.path) : null;
      if (!found) continue;
      const parts = Object.entries(found.groups ?? {}).map(([name, value]) => [
        name,
        decodeURIComponent(value),
      ]);
      return handler(request, Object.fromEntries(parts) as Record<string, string>);
    }
    return { status: 404, body: { message: "no such path" } };
  }

  function control(request: Recorded): Answer {
    const { path = "*", ...script } = (request.body ?? {}) as Script & { path?: string };
    switch (request.path.slice(controlPrefix.length)) {
      case "play":
        simulator.play(path, script);
        return { body: {} };
      case "release":
        simulator.release();
        return { body: {} };
      case "reset":
        simulator.reset();
        return { body: {} };
      case "calls":
        return { body: { calls, sockets: sockets.size - 1, most } };
      default:
        return { status: 404 };
    }
  }

  server.listen(options.port ?? 0, options.host ?? "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;

  const simulator: Simulator = {
    url: `http://127.0.0.1:${port}`,
    port,
    on(method, path, handler) {
      const escaped = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
      const rule = new RegExp(`^${escaped.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
      routes.push({ method, rule, handler });
    },
    play(path, script) {
      scripts.set(path, {
        faults: [...script.faults],
        rest: script.rest ?? { kind: "pass" },
      });
    },
    calls: (path) => (path ? calls.filter((call) => call.path === path) : [...calls]),
    release() {
      held.resolve();
      held = Promise.withResolvers<void>();
    },
    sockets: () => sockets.size,
    most: () => most,
    reset() {
      calls = [];
      most = 0;
      scripts.clear();
      simulator.release();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  for (const provider of providers) provider(simulator);
  return simulator;
}

function render(answer: Answer): Rendered {
  const text = typeof answer.body === "string";
  const body = answer.body === undefined ? "" : text ? answer.body : JSON.stringify(answer.body);
  const headers = { "content-type": "application/json; charset=utf-8", ...answer.headers };
  return { status: answer.status ?? 200, headers, body: Buffer.from(body as string) };
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString("utf8");
  if (!text) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function flatten(headers: IncomingMessage["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value ?? "")]),
  );
}
