import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/** USAspending's API, version 2 (https://api.usaspending.gov). It publishes no limit. */
export const usaSpending: Upstream = {
  name: "usaspending",
  silenceMs: 30_000,
  baseUrl: { env: "USASPENDING_BASE_URL", default: "https://api.usaspending.gov" },
  credentials: [],
  limits: { perSecond: 2, burst: 5, simultaneous: 4 },
  contact: {},
  judge,
};

/** An unknown recipient is a 400 that says so. */
function judge(reply: Reply): Verdict {
  const detail = reply.status === 400 ? text(at(reply.body, "detail")) : undefined;
  return detail !== undefined && /\bnot found\b/i.test(detail) ? missing : judgeByStatus(reply);
}
