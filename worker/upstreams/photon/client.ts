import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** Photon's public server asks for a reasonable number of requests, without a figure (https://photon.komoot.io). */
export const photon: Upstream = {
  name: "photon",
  silenceMs: 10_000,
  baseUrl: { env: "PHOTON_BASE_URL", default: "https://photon.komoot.io" },
  credentials: [],
  limits: { perSecond: 2, burst: 5, simultaneous: 2 },
  contact: {},
  judge: judgeByStatus,
};
