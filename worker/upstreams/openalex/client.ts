import type { Upstream } from "../../transport/upstream.ts";
import { busy, judgeByStatus } from "../../transport/verdicts.ts";

/**
 * OpenAlex. A free key pays for 1,000 searches a day (https://developers.openalex.org/api-reference/authentication).
 * Only searches are requested here.
 */
export const openAlex: Upstream = {
  name: "openalex",
  silenceMs: 30_000,
  baseUrl: { env: "OPENALEX_BASE_URL", default: "https://api.openalex.org" },
  credentials: ["OPENALEX_API_KEY"],
  credentialQuery: { api_key: "OPENALEX_API_KEY" },
  limits: { perSecond: 10, burst: 10, perDay: 1_000 },
  contact: {},
  // 403: too many requests at once (https://developers.openalex.org/api-reference/errors).
  judge: (reply) => (reply.status === 403 ? busy(undefined) : judgeByStatus(reply)),
};
