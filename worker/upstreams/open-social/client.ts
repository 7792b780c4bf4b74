import { isPassingStatus } from "../../transport/retry.ts";
import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus, missing } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/** Open social networks: public interfaces without accounts. */

/** 3,000 requests in five minutes from an address (https://docs.bsky.app/docs/advanced-guides/rate-limits). */
export const bluesky: Upstream = {
  name: "bluesky",
  silenceMs: 10_000,
  baseUrl: { env: "BLUESKY_BASE_URL", default: "https://public.api.bsky.app" },
  credentials: [],
  limits: { perSecond: 10, burst: 50, simultaneous: 20 },
  contact: {},
  judge: judgeBluesky,
};

/** Bluesky answers 400 for what does not exist, with a name or a sentence. */
function judgeBluesky(reply: Reply): Verdict {
  if (reply.status !== 400) return judgeByStatus(reply);
  const name = text(at(reply.body, "error")) ?? "";
  const message = text(at(reply.body, "message")) ?? "";
  const isGone = /^(NotFound|Account\w+|Repo\w+|Blocked\w+|UnknownFeed|UnknownList)$/.test(name);
  if (
    isGone ||
    /not found|could not (find|resolve|locate)|deactivated|taken down|suspended/i.test(message)
  )
    return missing;
  return { ok: false, type: "validation_error", message: "The network does not accept this query" };
}

const ofInstance = {
  silenceMs: 10_000,
  credentials: [],
  contact: {},
} satisfies Partial<Upstream>;

/**
 * An instance of Mastodon: 300 requests in five minutes from an address
 * (https://docs.joinmastodon.org/api/rate-limits/).
 */
export const mastodon = (host: string): Upstream => ({
  ...ofInstance,
  name: "mastodon",
  baseUrl: { env: "MASTODON_BASE_URL", default: `https://${host}` },
  server: { host, field: "instance" },
  limits: { perSecond: 1, burst: 20, simultaneous: 4 },
  judge: judgeInstance,
});

/** An instance of Lemmy, whose operator sets its limits; the gateway keeps to one request a second. */
export const lemmy = (host: string): Upstream => ({
  ...ofInstance,
  name: "lemmy",
  baseUrl: { env: "LEMMY_BASE_URL", default: `https://${host}` },
  server: { host, field: "instance" },
  limits: { perSecond: 1, burst: 10, simultaneous: 2 },
  judge: judgeInstance,
});

/** Any server may be named as an instance, so what it answers is no fault of an upstream. */
function judgeInstance(reply: Reply): Verdict {
  const { status, body } = reply;
  // Lemmy names what does not exist with status 400.
  if (status === 400 && /^couldnt_find|not_found/.test(text(at(body, "error")) ?? ""))
    return missing;
  if (status === 404 || status === 410) return missing;
  if (status === 429) return busy(secondsToReset(reply.headers["x-ratelimit-reset"]));
  if (status === 401 || status === 403 || status === 422)
    return refusedBy("The instance shows that to its members only");
  if (isPassingStatus(status) || status >= 500 || status === 200) return judgeByStatus(reply);
  return refusedBy("The server answers as no instance of this network");
}

const refusedBy = (message: string): Verdict => ({ ok: false, type: "upstream_error", message });

/** Mastodon sends the moment as ISO 8601. */
function secondsToReset(header: string | undefined): number | undefined {
  const seconds = (Date.parse(header ?? "") - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.min(300, Math.max(1, Math.ceil(seconds)));
}
