import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, unavailable } from "../../transport/verdicts.ts";

/** Unpaywall, version 2: at most 100,000 requests a day, each with an e-mail address. */
export const unpaywall: Upstream = {
  name: "unpaywall",
  silenceMs: 30_000,
  baseUrl: { env: "UNPAYWALL_BASE_URL", default: "https://api.unpaywall.org" },
  credentials: [],
  limits: { perSecond: 1, burst: 10 },
  contact: { required: true, query: "email" },
  judge,
};

/** 422 refuses the e-mail address, which only the operator can change. */
function judge(reply: Reply): Verdict {
  if (reply.status === 422) return { ...unavailable, operator: "contact refused" };
  return judgeByStatus(reply);
}
