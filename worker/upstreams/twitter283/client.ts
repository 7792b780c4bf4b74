import type { Call } from "../../connector.ts";
import type { Reply, Upstream, UpstreamRequest, Verdict } from "../../transport/upstream.ts";
import { busy, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, number, object, text } from "#wire";

const host = "twitter283.p.rapidapi.com";

/** The product "twitter283" of RapidAPI, a flat price by plan: X's own objects by way of a reseller. */
export const twitter283: Upstream = {
  name: "twitter283",
  baseUrl: { env: "TWITTER283_BASE_URL", default: `https://${host}` },
  credentials: ["RAPIDAPI_KEY"],
  authorize: ({ RAPIDAPI_KEY: key = "" }) => ({ "x-rapidapi-key": key, "x-rapidapi-host": host }),
  judge,
};

/** One read; undefined parameters are left out. */
export async function get(
  call: Pick<Call, "send">,
  path: string,
  query: NonNullable<UpstreamRequest["query"]>,
): Promise<unknown> {
  return (await call.send(twitter283, { method: "GET", path, query })).body;
}

/** Missing or withheld records are 200 with less content, which only a mapping can detect. */
export function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  if (status === 200) {
    const holder = object(body);
    // The marketplace reports its own faults in `message`; no route of this product has one.
    if (holder && typeof holder.message === "string" && Object.keys(holder).length === 1) {
      return { ok: false, type: "upstream_error", message: "The upstream reported a fault" };
    }
    return { ok: true };
  }
  if (status === 401 || status === 403) return { ...unavailable, operator: "credential refused" };
  if (status === 402) return { ...unavailable, operator: "out of funds" };
  if (status === 404) {
    // A route that the reseller removed is not a missing record.
    return /endpoint/i.test(text(at(body, "message"))?.slice(0, 500) ?? "") ? refused : missing;
  }
  if (status === 429) {
    const message = at(body, "message");
    if (typeof message === "string" && /quota/i.test(message)) {
      return { ...unavailable, operator: "out of quota" };
    }
    return busy(number(reply.headers["x-ratelimit-requests-reset"]));
  }
  if (status === 408 || status === 425 || status >= 500) return { ...unavailable, retry: true };
  return refused;
}
