import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Crossref's REST API. Its polite pool, for callers with a contact, allows lists three times a second and three at
 * once, and its public pool once a second and one at once
 * (https://www.crossref.org/blog/announcing-changes-to-rest-api-rate-limits/).
 */
export const crossref: Upstream = {
  name: "crossref",
  silenceMs: 30_000,
  baseUrl: { env: "CROSSREF_BASE_URL", default: "https://api.crossref.org" },
  credentials: [],
  limits: { perSecond: 3, burst: 1, simultaneous: 3 },
  contact: { query: "mailto", without: { perSecond: 1, burst: 1, simultaneous: 1 } },
  judge: judgeByStatus,
};
