import { once } from "node:events";
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

export interface AllUpstreams {
  /** Base URLs and credentials of every upstream, for workers. */
  env: Record<string, string>;
  change: Change;
  /** Requests by upstream. */
  calls: Map<string, number>;
  stop(): Promise<void>;
}

const token = { access_token: "sample-token", token_type: "bearer", expires_in: 3600 };

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
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  async function answer(prefix: string, request: UpstreamRequest): Promise<Instead> {
    if (/\/(oauth2\/token|access_token)$/.test(request.path)) return { body: token };
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
    void bodyOf(request)
      .then((body) => {
        const url = new URL(request.url ?? "/", "http://upstreams");
        const [, prefix = "", ...rest] = url.pathname.split("/");
        return answer(prefix, {
          method: request.method === "POST" ? "POST" : "GET",
          path: `/${rest.join("/")}`,
          query: Object.fromEntries(url.searchParams),
          body,
        });
      })
      .catch((error: unknown): Instead => ({ status: 500, body: { error: String(error) } }))
      .then(({ status = 200, type = "application/json", body, silent }) => {
        if (silent) return;
        response.writeHead(status, { "content-type": type });
        response.end(typeof body === "string" ? body : JSON.stringify(body));
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

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
