import { GatewayError } from "../../contract/errors.ts";
import type { Outbound } from "../../worker/run.ts";
import type { Reply, Upstream, UpstreamRequest } from "../../worker/transport/upstream.ts";
import { sandbox } from "./play.ts";

/** One upstream request with its reply. */
export interface Exchange {
  /** The whole request; an identical request gets the same reply. */
  request: string;
  /** Method and path without ids, shared by requests for the same kind of resource. */
  template: string;
  reply: Reply;
}

/** Created once: an error's stack is costly, and most runs meet this one. */
const exhausted = new GatewayError("upstream_unavailable", "No more kept replies");

/** More requests than any operation needs for one call. */
const mostRequests = 400;

/**
 * The test mode's outbound that records its exchanges. Replies are frozen, because a mapping only
 * reads.
 */
export function capturing(kept: Exchange[]): Outbound {
  return {
    async send(upstream, request, call) {
      const reply = await sandbox.send(upstream, request, call);
      kept.push({
        request: textOf(request),
        template: templateOf(request),
        reply: deepFreeze(reply),
      });
      return reply;
    },
    fetchFor: (upstream, call) => async (input, init) => {
      const request = await requestOf(input, init);
      const response = await sandbox.fetchFor(upstream, call)(input, init);
      const body = (await response.clone().json()) as unknown;
      const reply = { status: response.status, headers: {}, body: deepFreeze(body) };
      kept.push({ request: textOf(request), template: templateOf(request), reply });
      return response;
    },
  };
}

/**
 * Plays recorded replies: an identical request gets its own reply, a changed one (a cursor, an id)
 * the next unused reply of its template. Beyond them the upstream is unavailable.
 */
export function replaying(exchanges: readonly Exchange[]): Outbound {
  const used = new Set<Exchange>();
  let requests = 0;
  function replyTo(request: UpstreamRequest): Reply {
    requests += 1;
    if (requests > mostRequests) throw new Error(`more than ${mostRequests} upstream requests`);
    const text = textOf(request);
    const found = exchanges.find((exchange) => exchange.request === text) ?? nextFor(request);
    if (!found) throw exhausted;
    used.add(found);
    return found.reply;
  }
  function nextFor(request: UpstreamRequest): Exchange | undefined {
    const template = templateOf(request);
    const unused = exchanges.filter((exchange) => !used.has(exchange));
    return unused.find((exchange) => exchange.template === template) ?? unused[0];
  }
  return {
    async send(upstream: Upstream, request: UpstreamRequest) {
      const reply = replyTo(request);
      const verdict = upstream.judge(reply);
      if (verdict.ok) return reply;
      throw new GatewayError(verdict.type, verdict.message);
    },
    fetchFor: () => async (input, init) => {
      const { status, body } = replyTo(await requestOf(input, init));
      const headers = { "content-type": "application/json" };
      return new Response(jsonOf(body), { status, headers });
    },
  };
}

/** Texts of kept replies: most calls change one of several replies, or none. */
const texts = new WeakMap<object, string>();

function jsonOf(body: unknown): string {
  if (typeof body !== "object" || body === null) return JSON.stringify(body);
  const text = texts.get(body) ?? JSON.stringify(body);
  texts.set(body, text);
  return text;
}

async function requestOf(...args: Parameters<typeof fetch>): Promise<UpstreamRequest> {
  const request = new Request(...args);
  const url = new URL(request.url);
  const text = request.method === "POST" ? await request.text() : "";
  return {
    method: request.method === "POST" ? "POST" : "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    ...(text ? { body: text } : {}),
  };
}

function textOf({ method, path, query, body, form }: UpstreamRequest): string {
  return JSON.stringify([method, path, query, body, form]);
}

const longSegment = 20;

function templateOf({ method, path }: UpstreamRequest): string {
  const segments = path
    .split("/")
    .map((segment) =>
      !/^v\d+(\.\d+)?$/.test(segment) && (/\d/.test(segment) || segment.length > longSegment)
        ? "*"
        : segment,
    );
  return `${method} ${segments.join("/")}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}
