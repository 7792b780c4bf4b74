import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * Semantic Scholar's Academic Graph. Callers without a key share one pool, which answers 429 when it is
 * full; a key has one request a second, which callers without one keep as well.
 */
export const semanticScholar: Upstream = {
  name: "semantic-scholar",
  silenceMs: 30_000,
  baseUrl: { env: "SEMANTIC_SCHOLAR_BASE_URL", default: "https://api.semanticscholar.org" },
  credentials: [],
  limits: { perSecond: 1, burst: 1 },
  contact: {},
  judge: judgeByStatus,
};
