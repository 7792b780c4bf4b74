import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Remotive's API blocks callers of more than two requests a minute, and advises four a day
 * (https://github.com/remotive-com/remote-jobs-api).
 */
export const remotive: Upstream = {
  name: "remotive",
  silenceMs: 30_000,
  baseUrl: { env: "REMOTIVE_BASE_URL", default: "https://remotive.com" },
  credentials: [],
  limits: { perSecond: 1 / 30, burst: 1, simultaneous: 1 },
  contact: {},
  judge: judgeByStatus,
};
