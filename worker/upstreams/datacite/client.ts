import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * DataCite's REST API: 1,000 requests in five minutes for callers with a contact, 500 without
 * (https://support.datacite.org/docs/rate-limit).
 */
export const datacite: Upstream = {
  name: "datacite",
  silenceMs: 30_000,
  baseUrl: { env: "DATACITE_BASE_URL", default: "https://api.datacite.org" },
  credentials: [],
  limits: { perSecond: 3, burst: 3 },
  contact: { query: "mailto", without: { perSecond: 1.5, burst: 3 } },
  judge: judgeByStatus,
};
