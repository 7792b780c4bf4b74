import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { missing, refused, unavailable } from "../../transport/verdicts.ts";
import { object } from "#wire";

/** Hacker News on Firebase: no key, no stated limit. Every path ends in ".json". */
export const hackernews: Upstream = {
  name: "hackernews",
  silenceMs: 5_000,
  baseUrl: { env: "HACKERNEWS_BASE_URL", default: "https://hacker-news.firebaseio.com" },
  credentials: [],
  judge,
};

/** A missing record is 200 with `null`, which only the operation can distinguish from an empty list. */
function judge({ status, body }: Reply): Verdict {
  if (status === 401 || status === 403) return { ...unavailable, operator: "access refused" };
  if (status === 404) return missing;
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return { ...unavailable, retry: true };
  if (status !== 200) return refused;
  if (typeof object(body)?.error === "string")
    return { ok: false, type: "upstream_error", message: "The upstream reported a fault" };
  return { ok: true };
}
