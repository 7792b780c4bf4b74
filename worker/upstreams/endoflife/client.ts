import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** endoflife.date v1: no stated limit. */
export const endOfLife: Upstream = {
  name: "endoflife",
  silenceMs: 10_000,
  baseUrl: { env: "ENDOFLIFE_BASE_URL", default: "https://endoflife.date" },
  credentials: [],
  judge,
};

/** 301 leads from another name of a product to the product. */
function judge(reply: Reply): Verdict {
  return reply.status === 301 && reply.headers["location"] ? { ok: true } : judgeByStatus(reply);
}
