import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** IANA's lists of the servers for each top-level domain and address block (RFC 9224). */
export const ianaRdap: Upstream = {
  name: "iana-rdap",
  silenceMs: 10_000,
  baseUrl: { env: "IANA_RDAP_BASE_URL", default: "https://data.iana.org" },
  credentials: [],
  judge: judgeByStatus,
};

/** A registry's server. One server's faults say nothing about another's, so none opens the circuit breaker. */
export const rdapServer = (url: string): Upstream => ({
  name: "rdap",
  silenceMs: 10_000,
  baseUrl: { env: "RDAP_BASE_URL", default: url },
  credentials: [],
  judge(reply) {
    const verdict = judgeByStatus(reply);
    return verdict.ok || !verdict.unavailable ? verdict : { ...verdict, unavailable: false };
  },
});
