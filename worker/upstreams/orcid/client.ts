import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus, missing } from "../../transport/verdicts.ts";

/**
 * ORCID's public API, version 3.0, without a token. Its documents once named 24 requests a second with a
 * burst of 40; half of that is kept, as other programs may share the address.
 */
export const orcid: Upstream = {
  name: "orcid",
  silenceMs: 30_000,
  baseUrl: { env: "ORCID_BASE_URL", default: "https://pub.orcid.org/v3.0" },
  credentials: [],
  limits: { perSecond: 12, burst: 12 },
  contact: {},
  // 301: the record was merged into another. 409: its holder closed it, ORCID locked it, or nobody claimed it yet.
  judge: (reply) => (reply.status === 301 || reply.status === 409 ? missing : judgeByStatus(reply)),
};
