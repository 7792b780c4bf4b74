import { once } from "node:events";
import { type IncomingHttpHeaders, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { upstreams } from "../../worker/sandbox/upstreams.ts";
import { createSandbox } from "../../worker/sandbox/sandbox.ts";
import { samples } from "../../worker/sandbox/samples.ts";
import type { Upstream, UpstreamRequest } from "../../worker/transport/upstream.ts";

/** An answer that a test puts in place of the usual one. */
export interface Instead {
  status?: number;
  /** No answer at all. */
  silent?: boolean;
  type?: string;
  body: unknown;
}

/** Replaces an answer, or leaves it: undefined. */
export type Change = (upstream: string, path: string, body: unknown) => Instead | undefined;

/** A request as it arrived. */
export interface Arrived {
  headers: IncomingHttpHeaders;
  url: string;
  body: string;
}

export interface AllUpstreams {
  /** Base URLs and credentials of every upstream, for workers. */
  env: Record<string, string>;
  change: Change;
  /** Requests by upstream. */
  calls: Map<string, number>;
  /** Sees each request as it arrived; the text that it returns is the answer's header `x-arrived`. */
  arrived?: (request: Arrived) => string;
  /** The token that answers a request for one. */
  token: (request: Arrived) => string;
  stop(): Promise<void>;
}

/** One server that answers for every upstream with its samples. */
export async function startAllUpstreams(): Promise<AllUpstreams> {
  const sandbox = createSandbox(samples);
  const byPrefix = new Map<string, Upstream[]>();
  for (const upstream of upstreams) {
    const same = byPrefix.get(upstream.baseUrl.env) ?? [];
    byPrefix.set(upstream.baseUrl.env, [...same, upstream]);
  }
  const all: AllUpstreams = {
    env: {},
    change: () => undefined,
    calls: new Map(),
    token: () => "sample-token",
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function answer(
    prefix: string,
    request: UpstreamRequest,
    arrived: Arrived,
  ): Promise<Instead> {
    if (/\/(oauth2\/token|access_token)$/.test(request.path)) {
      const token = { access_token: all.token(arrived), token_type: "bearer", expires_in: 3600 };
      return { body: token };
    }
    for (const { name } of byPrefix.get(prefix) ?? []) {
      if (!samples.some(({ upstream }) => upstream === name)) continue;
      const tame = { name, judge: () => ({ ok: true }) } as unknown as Upstream;
      // Upstreams of one address differ in their routes.
      const reply = await sandbox.send(tame, request, {} as never).catch(() => undefined);
      if (!reply) continue;
      const { body } = reply;
      all.calls.set(name, (all.calls.get(name) ?? 0) + 1);
      const type = typeof body === "string" ? "text/plain" : "application/json";
      return all.change(name, request.path, body) ?? { type, body };
    }
    return { status: 404, body: {} };
  }

  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      const { headers, url: address = "" } = request;
      const arrived = { headers, url: address, body };
      const url = new URL(address, "http://upstreams");
      const [, prefix = "", ...rest] = url.pathname.split("/");
      const asked = {
        method: request.method === "POST" ? ("POST" as const) : ("GET" as const),
        path: `/${rest.join("/")}`,
        query: Object.fromEntries(url.searchParams),
        body: jsonOf(body),
      };
      const seen = all.arrived?.(arrived);
      const { status, type, silent, ...instead } = await answer(prefix, asked, arrived).catch(
        (error: unknown): Instead => ({ status: 500, body: { error: String(error) } }),
      );
      if (silent) return;
      response.writeHead(status ?? 200, {
        "content-type": type ?? "application/json",
        ...(seen === undefined ? {} : { "x-arrived": seen }),
      });
      response.end(typeof instead.body === "string" ? instead.body : JSON.stringify(instead.body));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (const upstream of upstreams) {
    const { env } = upstream.baseUrl;
    all.env[env] = `http://127.0.0.1:${port}/${env}`;
    for (const name of upstream.credentials) all.env[name] = "sample-credential";
  }
  all.env["REDDIT_TOKEN_BASE_URL"] = `http://127.0.0.1:${port}/REDDIT_TOKEN_BASE_URL`;
  all.env["CONTACT"] = "operator@example.org";
  return all;
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return undefined;
  }
}
