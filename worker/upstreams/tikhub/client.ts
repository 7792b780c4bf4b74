import type { Call } from "../../connector.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { busy, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, integer, number, object } from "#wire";

/** TikHub: one key for four areas, ten requests a second. Every page is a paid call. */
export const tikhub: Upstream = {
  name: "tikhub",
  baseUrl: { env: "TIKHUB_BASE_URL", default: "https://api.tikhub.io" },
  credentials: ["TIKHUB_API_KEY"],
  authorize: (secrets) => ({ authorization: `Bearer ${secrets.TIKHUB_API_KEY}` }),
  limits: { perSecond: 10, burst: 10 },
  judge,
};

/** One read; undefined parameters are left out. Returns the whole body, including the wrapper. */
export async function get(
  call: Pick<Call, "send">,
  path: string,
  query: UpstreamRequest["query"] = {},
): Promise<unknown> {
  return (await call.send(tikhub, { method: "GET", path, query })).body;
}

function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  if (status === 401 || status === 403) return { ...unavailable, operator: "credential refused" };
  // TikHub reports an empty account in the message of other statuses as well.
  if (status === 402 || /insufficient.{0,20}(balance|credit|fund)/i.test(messageOf(body))) {
    return { ...unavailable, operator: "out of funds" };
  }
  if (status === 404) return missing;
  if (status === 400) {
    return {
      ok: false,
      type: "upstream_error",
      message: "The platform refused the call",
      retry: true,
    };
  }
  if (status === 422) return { ok: false, type: "internal_error", message: "Internal error" };
  if (status === 429) return busy(resetSeconds(reply));
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  if (status !== 200) return refused;
  const code = integer(at(body, "code"));
  if (code !== undefined && code !== 0 && code !== 200) {
    return { ok: false, type: "upstream_error", message: "The upstream reported a fault" };
  }
  return { ok: true };
}

function messageOf(body: unknown): string {
  const message = at(body, "message") ?? at(body, "detail", "message");
  return typeof message === "string" ? message.slice(0, 1000) : "";
}

/** `X-RateLimit-Reset` is seconds or a unix time. */
function resetSeconds(reply: Reply): number | undefined {
  const value = number(reply.headers["retry-after"] ?? reply.headers["x-ratelimit-reset"]);
  if (value === undefined || value < 0) return undefined;
  return value > 1_000_000_000
    ? Math.max(1, Math.ceil(value - Date.now() / 1000))
    : Math.ceil(value);
}

/**
 * The platform's own JSON inside TikHub's wrapper: the first object below `data` that has one of the keys,
 * merged with the members beside it on each level, since these include page tokens.
 */
export function unwrap(body: unknown, ...keys: string[]): { [key: string]: unknown } | undefined {
  let outer: { [key: string]: unknown } = {};
  let here = object(at(body, "data"));
  while (here) {
    const found = here;
    outer = { ...outer, ...found };
    if (keys.some((key) => Object.hasOwn(found, key))) return outer;
    here = object(here.data);
  }
  return undefined;
}
