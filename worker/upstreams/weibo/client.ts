import type { Call } from "../../connector.ts";
import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { missing, refused, unavailable } from "../../transport/verdicts.ts";
import { integer, object } from "#wire";

/** Statuses that mean a reached rate limit. */
const tooMany = new Set([408, 414, 418, 425, 429, 432]);

/** Weibo's own public pages: no key, no stated limit. */
export const weibo: Upstream = {
  name: "weibo",
  silenceMs: 10_000,
  baseUrl: { env: "WEIBO_BASE_URL", default: "https://weibo.com" },
  credentials: [],
  judge,
};

/** The hot search; the site answers only requests with its own `Referer`. */
export async function hotSearch(call: Pick<Call, "send">): Promise<unknown> {
  const headers = { referer: "https://weibo.com/" };
  return (await call.send(weibo, { method: "GET", path: "/ajax/side/hotSearch", headers })).body;
}

function judge({ status, body }: Reply): Verdict {
  if (status === 404) return missing;
  if (tooMany.has(status) || status >= 500) return { ...unavailable, retry: true };
  if (status !== 200) return refused;
  const ok = integer(object(body)?.ok);
  // -100 requires the visitor to sign in.
  return ok === undefined || ok === 1 ? { ok: true } : refused;
}
