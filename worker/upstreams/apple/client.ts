import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Search of Apple's stores, about 20 calls a minute
 * (https://developer.apple.com/library/archive/documentation/AudioVideo/Conceptual/iTuneSearchAPI/).
 */
export const apple: Upstream = {
  name: "apple",
  silenceMs: 20_000,
  baseUrl: { env: "APPLE_BASE_URL", default: "https://itunes.apple.com" },
  credentials: [],
  // 5 at once and one each four seconds are 20 in a minute.
  limits: { perSecond: 0.25, burst: 5 },
  contact: {},
  judge,
};

/** More calls than the limit are answered 403. */
function judge(reply: Reply): Verdict {
  return reply.status === 403 ? busy(undefined) : judgeByStatus(reply);
}
