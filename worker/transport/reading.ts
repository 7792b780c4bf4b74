import { operations } from "../../contract/index.ts";
import { type Issue } from "../../contract/errors.ts";
import { pathParameters } from "../../contract/operation.ts";
import type { Incoming } from "./exchange.ts";
import { type Fault, passingFault, refusalFault, truncatedFault } from "./fault.ts";
import { parseJson } from "../mapping/json.ts";
import { isPassingStatus } from "./retry.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "./upstream.ts";

/** Removes a byte order mark, which JSON.parse would refuse. */
const text = new TextDecoder();

/** A read answer, or its fault. */
export type Read<T> = { ok: true; value: T } | { ok: false; fault: Fault };

/** Parses an answer and passes it to the upstream's `judge`. */
export function readJudged(
  upstream: Upstream,
  operation: string,
  incoming: Incoming,
  now: number,
  /** Receives the cost of the answer, where the upstream reports it. */
  paid: (dollars: number) => void = () => {},
  judged: (body: unknown, verdict: Verdict) => void = () => {},
  { isText = false }: Pick<UpstreamRequest, "isText"> = {},
): Read<Reply> {
  const content = incoming.cut ? undefined : text.decode(incoming.bytes);
  // Refusals of a source of texts are JSON as everywhere else.
  const body =
    content === undefined || (isText && incoming.status === 200) ? content : parseJson(content);
  const reply: Reply = { status: incoming.status, headers: incoming.headers, body };
  paid(upstream.cost?.(reply) ?? 0);
  const verdict = upstream.judge(reply);
  judged(body, verdict);
  if (isCut(incoming, body)) {
    return { ok: false, fault: truncatedFault(verdict.ok || verdict.retry !== false) };
  }
  if (verdict.ok) return { ok: true, value: reply };
  return {
    ok: false,
    fault: refusalFault(verdict, incoming, now, (field) => locationOf(operation, field)),
  };
}

/** True for a good answer whose body ended too early. JSON that does not parse counts as cut off. */
function isCut(incoming: Incoming, body: unknown): boolean {
  if (incoming.status < 200 || incoming.status > 299) return false;
  if (incoming.cut) return true;
  const labelled = /\bjson\b/i.test(incoming.headers["content-type"] ?? "");
  return labelled && body === undefined && incoming.bytes.length > 0;
}

/** Where an operation has a field of its input. */
export function locationOf(operation: string, field: string): Issue["in"] {
  const declared = operations.get(operation);
  const name = /^\w+/.exec(field)?.[0] ?? "";
  if (declared && pathParameters(declared.path).includes(name)) return "path";
  return declared?.method === "GET" ? "query" : "body";
}

/** For a library that reads answers itself: only temporary failures and cut bodies are faults. */
export function readFetched(incoming: Incoming, now: number): Read<Incoming> {
  const good = incoming.status >= 200 && incoming.status <= 299;
  if (incoming.cut && good) return { ok: false, fault: truncatedFault(true) };
  if (isPassingStatus(incoming.status)) return { ok: false, fault: passingFault(incoming, now) };
  return { ok: true, value: incoming };
}

const bodiless = new Set([204, 205, 304]);

/** The answer as a `fetch` response. */
export function toResponse(incoming: Incoming, url: string): Response {
  const { "content-encoding": _e, "content-length": _l, ...headers } = incoming.headers;
  const body = bodiless.has(incoming.status) ? null : new Uint8Array(incoming.bytes);
  const response = new Response(body, { status: incoming.status, headers });
  Object.defineProperty(response, "url", { value: url });
  return response;
}
