import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { busy, judgeByStatus } from "../../transport/verdicts.ts";
import { at, text } from "#wire";

/**
 * Overpass, queries on the data of OpenStreetMap. The main public server has two slots for an address and asks for
 * at most 10,000 queries and 1 GB a day (https://dev.overpass-api.de/overpass-doc/en/preface/commons.html). The
 * bytes are not counted here.
 */
export const overpass: Upstream = {
  name: "overpass",
  silenceMs: 40_000,
  baseUrl: { env: "OVERPASS_BASE_URL", default: "https://overpass-api.de" },
  credentials: [],
  limits: { perSecond: 0.5, burst: 2, simultaneous: 2, perDay: 10_000 },
  contact: {},
  judge,
};

/** 504 means that all slots are taken; a query that was cut off has status 200 and a remark. */
function judge(reply: Reply): Verdict {
  if (reply.status === 504) return busy(undefined);
  const verdict = judgeByStatus(reply);
  if (!verdict.ok || !/runtime error/i.test(text(at(reply.body, "remark")) ?? "")) return verdict;
  return { ok: false, type: "upstream_error", message: "The box has too many features" };
}
