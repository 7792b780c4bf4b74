import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** endoflife.date v1: no stated limit. */
export const endOfLife: Upstream = {
  name: "endoflife",
  silenceMs: 10_000,
  baseUrl: { env: "ENDOFLIFE_BASE_URL", default: "https://endoflife.date" },
  credentials: [],
  judge: judgeByStatus,
};
