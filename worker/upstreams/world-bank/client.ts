import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/**
 * The World Bank's Indicators API, version 2
 * (https://datahelpdesk.worldbank.org/knowledgebase/articles/889392). It publishes no limit.
 */
export const worldBank: Upstream = {
  name: "world-bank",
  silenceMs: 30_000,
  baseUrl: { env: "WORLD_BANK_BASE_URL", default: "https://api.worldbank.org" },
  credentials: [],
  limits: { perSecond: 5, burst: 5, simultaneous: 4 },
  contact: {},
  judge,
};

/** Codes of faults: an unknown value, and an indicator that is unknown or archived. */
const unknownCodes = ["120", "175"];

/** Faults come with status 200 as a list of one `message`. */
function judge(reply: Reply): Verdict {
  // The site's own faults are a page of HTML with status 400; refusals of a request are never.
  if (reply.status === 400 && reply.body === undefined) return { ...unavailable, retry: true };
  const verdict = judgeByStatus(reply);
  if (!verdict.ok || at(reply.body, 0, "message") === undefined) return verdict;
  const code = text(at(reply.body, 0, "message", 0, "id"));
  return code !== undefined && unknownCodes.includes(code) ? missing : refused;
}
