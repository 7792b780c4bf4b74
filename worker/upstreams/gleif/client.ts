import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** GLEIF's API, version 1 (https://www.gleif.org/en/lei-data/gleif-api). It publishes no limit. */
export const gleif: Upstream = {
  name: "gleif",
  silenceMs: 30_000,
  baseUrl: { env: "GLEIF_BASE_URL", default: "https://api.gleif.org" },
  credentials: [],
  limits: { perSecond: 1, burst: 10 },
  contact: {},
  judge: judgeByStatus,
};
