import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** Frankfurter, version 2 (https://api.frankfurter.dev/v2/openapi.json). It publishes no limit. */
export const frankfurter: Upstream = {
  name: "frankfurter",
  silenceMs: 20_000,
  baseUrl: { env: "FRANKFURTER_BASE_URL", default: "https://api.frankfurter.dev" },
  credentials: [],
  limits: { perSecond: 5, burst: 5 },
  contact: {},
  judge,
};

/** 422 names a currency or a day that the source cannot read. */
function judge(reply: Reply): Verdict {
  if (reply.status !== 422) return judgeByStatus(reply);
  return {
    ok: false,
    type: "validation_error",
    message: "The source does not accept these currencies or days",
  };
}
