import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * The Global Biodiversity Information Facility. It limits calls without a published figure, answers 429 to more,
 * and asks for an agent with a contact (https://techdocs.gbif.org/en/openapi/).
 */
export const gbif: Upstream = {
  name: "gbif",
  silenceMs: 30_000,
  baseUrl: { env: "GBIF_BASE_URL", default: "https://api.gbif.org" },
  credentials: [],
  limits: { perSecond: 5, burst: 5, simultaneous: 3 },
  contact: {},
  judge: judgeByStatus,
};
