import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * The Federal Register's API, version 1 (https://www.federalregister.gov/developers/documentation/api/v1).
 * It publishes no limit.
 */
export const federalRegister: Upstream = {
  name: "federal-register",
  silenceMs: 30_000,
  baseUrl: { env: "FEDERAL_REGISTER_BASE_URL", default: "https://www.federalregister.gov" },
  credentials: [],
  limits: { perSecond: 2, burst: 5, simultaneous: 2 },
  contact: {},
  judge: judgeByStatus,
};
