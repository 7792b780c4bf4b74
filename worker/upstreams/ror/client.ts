import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * The Research Organization Registry, version 2: 50 requests in five minutes for callers without a
 * registered client id (https://ror.readme.io/docs/rest-api).
 */
export const ror: Upstream = {
  name: "ror",
  silenceMs: 30_000,
  baseUrl: { env: "ROR_BASE_URL", default: "https://api.ror.org" },
  credentials: [],
  limits: { perSecond: 1 / 6, burst: 10 },
  contact: {},
  judge: judgeByStatus,
};
