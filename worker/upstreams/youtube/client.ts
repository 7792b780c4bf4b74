import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/** The video site's own web interface: no key; requests from data centres may face a bot check. */
export const youtube: Upstream = {
  name: "youtube",
  silenceMs: 10_000,
  baseUrl: { env: "YOUTUBE_BASE_URL", default: "https://www.youtube.com" },
  credentials: [],
  judge,
};

/** The site's music and movie charts: a separate interface, available in about 60 countries. */
export const youtubeCharts: Upstream = {
  name: "youtube-charts",
  silenceMs: 10_000,
  baseUrl: { env: "YOUTUBE_CHARTS_BASE_URL", default: "https://charts.youtube.com" },
  credentials: [],
  judge(reply) {
    if (reply.status !== 400) return judge(reply);
    return {
      ok: false,
      type: "validation_error",
      message: "The site has no such chart for this country",
      field: "country",
    };
  },
};

/** A body of 200 may be an alert in place of the thing, or a player that refuses to play. */
function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  if (status === 401 || status === 403) return { ...unavailable, operator: "access refused" };
  if (status === 404) return missing;
  if (status === 408 || status === 425 || status === 429 || status >= 500)
    return { ...unavailable, retry: true };
  // A well-formed but unknown id.
  if (status === 400) return at(body, "error", "status") === "INVALID_ARGUMENT" ? missing : refused;
  if (status !== 200) return refused;
  if (at(body, "alerts", 0, "alertRenderer", "type") === "ERROR") return missing;
  return judgePlayer(at(body, "playabilityStatus"));
}

/** Age limits, premieres and blocked videos still have an answer; missing and private videos have none. */
function judgePlayer(playability: unknown): Verdict {
  const state = at(playability, "status");
  if (state === "ERROR") return missing;
  if (state !== "LOGIN_REQUIRED") return { ok: true };
  const reason = text(at(playability, "reason"))?.slice(0, 500) ?? "";
  if (/private/i.test(reason)) return missing;
  return /\bbot\b/i.test(reason) ? unavailable : { ok: true };
}
