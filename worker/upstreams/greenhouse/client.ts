import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** Greenhouse's Job Board API, version 1 (https://developers.greenhouse.io/job-board.html). It publishes no limit. */
export const greenhouse: Upstream = {
  name: "greenhouse",
  silenceMs: 30_000,
  baseUrl: { env: "GREENHOUSE_BASE_URL", default: "https://boards-api.greenhouse.io" },
  credentials: [],
  limits: { perSecond: 2, burst: 5, simultaneous: 4 },
  contact: {},
  judge: judgeByStatus,
};
