import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * The Library of Congress's API of Congress.gov, version 3: a free key, and 5,000 requests an hour
 * (https://github.com/LibraryOfCongress/api.congress.gov).
 */
export const congress: Upstream = {
  name: "congress",
  silenceMs: 30_000,
  baseUrl: { env: "CONGRESS_BASE_URL", default: "https://api.congress.gov" },
  credentials: ["CONGRESS_API_KEY"],
  credentialQuery: { api_key: "CONGRESS_API_KEY" },
  limits: { perSecond: 1.3, burst: 20 },
  contact: {},
  judge: judgeByStatus,
};
