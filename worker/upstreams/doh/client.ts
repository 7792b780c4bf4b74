import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus, missing, refused, unavailable } from "../../transport/verdicts.ts";
import { at, count } from "#wire";

/** DNS over HTTPS as JSON at 1.1.1.1; no stated limit. */
export const doh: Upstream = {
  name: "doh",
  silenceMs: 5_000,
  baseUrl: { env: "DOH_BASE_URL", default: "https://cloudflare-dns.com" },
  credentials: [],
  judge,
};

const noError = 0;
const serverFailure = 2;
const noSuchName = 3;

/** The response code of the DNS is in the body of a 200. */
function judge(reply: Reply): Verdict {
  const verdict = judgeByStatus(reply);
  if (!verdict.ok) return verdict;
  const code = count(at(reply.body, "Status"));
  if (code === noError) return verdict;
  if (code === noSuchName) return missing;
  // The name's own servers are at fault, not the resolver.
  if (code === serverFailure) return { ...unavailable, unavailable: false, retry: true };
  return refused;
}
