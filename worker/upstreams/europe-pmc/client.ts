import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/** Europe PMC's articles API. It names no limit; requests are few and spaced all the same. */
export const europePmc: Upstream = {
  name: "europe-pmc",
  silenceMs: 30_000,
  baseUrl: {
    env: "EUROPE_PMC_BASE_URL",
    default: "https://www.ebi.ac.uk/europepmc/webservices/rest",
  },
  credentials: [],
  limits: { perSecond: 5, burst: 2 },
  contact: {},
  judge,
};

/** Some faults come with status 200 and an `errMsg` in place of the result. */
function judge(reply: Reply): Verdict {
  const verdict = judgeByStatus(reply);
  if (!verdict.ok || text(at(reply.body, "errMsg")) === undefined) return verdict;
  return { ok: false, type: "upstream_error", message: "The upstream reported a fault" };
}
