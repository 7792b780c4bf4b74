import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** OSV v1: "currently no limits" (google.github.io/osv.dev/api). */
export const osv: Upstream = {
  name: "osv",
  silenceMs: 15_000,
  baseUrl: { env: "OSV_BASE_URL", default: "https://api.osv.dev" },
  credentials: [],
  judge,
};

/** 400 names a purl or ecosystem that OSV cannot read. */
function judge(reply: Reply): Verdict {
  if (reply.status !== 400) return judgeByStatus(reply);
  return {
    ok: false,
    type: "validation_error",
    message: "The source does not accept this package, version or id",
  };
}
