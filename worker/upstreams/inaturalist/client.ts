import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * iNaturalist asks for at most 60 requests a minute and 10,000 a day (https://api.inaturalist.org/v1/docs/).
 */
export const iNaturalist: Upstream = {
  name: "inaturalist",
  silenceMs: 30_000,
  baseUrl: { env: "INATURALIST_BASE_URL", default: "https://api.inaturalist.org" },
  credentials: [],
  limits: { perSecond: 0.9, burst: 5, simultaneous: 2, perDay: 10_000 },
  contact: {},
  judge: judgeByStatus,
};
