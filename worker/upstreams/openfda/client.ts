import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";
import { at } from "#wire";

/**
 * openFDA takes 240 requests a minute of an address or key, and 1,000 a day without a key or 120,000 with a
 * free one (https://open.fda.gov/apis/authentication/).
 */
export const openFda: Upstream = {
  name: "openfda",
  silenceMs: 30_000,
  baseUrl: { env: "OPENFDA_BASE_URL", default: "https://api.fda.gov" },
  credentials: [],
  credentialQuery: { api_key: "OPENFDA_API_KEY" },
  limits: { perSecond: 4, burst: 10, perDay: 1000 },
  optional: {
    credential: "OPENFDA_API_KEY",
    limits: { perSecond: 4, burst: 10, perDay: 120_000 },
  },
  contact: {},
  judge,
};

/** A search without a match is a 404 whose error names it; other addresses have no such body. */
function judge(reply: Reply): Verdict {
  const isNoMatch = reply.status === 404 && at(reply.body, "error", "code") === "NOT_FOUND";
  return isNoMatch ? { ok: true } : judgeByStatus(reply);
}
