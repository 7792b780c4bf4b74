import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * OpenAlex. A free key allows 100,000 credits a day, of which a list costs 10, and 100 requests a second
 * (https://docs.openalex.org/how-to-use-the-api/rate-limits-and-authentication). Only lists are requested here.
 */
export const openAlex: Upstream = {
  name: "openalex",
  silenceMs: 30_000,
  baseUrl: { env: "OPENALEX_BASE_URL", default: "https://api.openalex.org" },
  credentials: ["OPENALEX_API_KEY"],
  credentialQuery: { api_key: "OPENALEX_API_KEY" },
  limits: { perSecond: 10, burst: 10, perDay: 10_000 },
  contact: {},
  judge: judgeByStatus,
};
