import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

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

/** More calls than the limit are answered 403, and a country without a store 400 with the parameter's name. */
function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  if (status === 403) return busy(undefined);
  if (status !== 400 || !/\[country\]/.test(text(at(body, "errorMessage")) ?? "")) {
    return judgeByStatus(reply);
  }
  const message = "country: Apple has no store in this country";
  return { ok: false, type: "validation_error", field: "country", message };
}
