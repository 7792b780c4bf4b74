import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Lever's Postings API, version 0 (https://github.com/lever/postings-api), in the United States or in the
 * European Union. It publishes a limit for applications only: two a second.
 */
export const lever = (region: "us" | "eu"): Upstream => ({
  name: region === "us" ? "lever" : "lever-eu",
  silenceMs: 30_000,
  baseUrl: {
    env: region === "us" ? "LEVER_BASE_URL" : "LEVER_EU_BASE_URL",
    default: region === "us" ? "https://api.lever.co" : "https://api.eu.lever.co",
  },
  credentials: [],
  limits: { perSecond: 2, burst: 5, simultaneous: 4 },
  contact: {},
  judge: judgeByStatus,
});
