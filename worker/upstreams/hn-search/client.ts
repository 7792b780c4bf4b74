import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/** Algolia's search of Hacker News: 10,000 requests an hour of an address (https://hn.algolia.com/api). */
export const hnSearch: Upstream = {
  name: "hn-search",
  silenceMs: 10_000,
  baseUrl: { env: "HN_SEARCH_BASE_URL", default: "https://hn.algolia.com" },
  credentials: [],
  limits: { perSecond: 2.7, burst: 10 },
  contact: {},
  judge: judgeByStatus,
};
