import type { Upstream } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";

/**
 * The SEC refuses requests whose agent names no contact, and more than ten requests a second from all
 * machines of a user, whatever the host
 * (https://www.sec.gov/search-filings/edgar-search-assistance/accessing-edgar-data).
 */
const rules = {
  silenceMs: 30_000,
  credentials: [],
  contact: { required: true },
  judge: judgeByStatus,
} satisfies Partial<Upstream>;

/** Filings and the figures in them. */
export const secData: Upstream = {
  name: "sec-data",
  baseUrl: { env: "SEC_DATA_BASE_URL", default: "https://data.sec.gov" },
  limits: { perSecond: 8, burst: 4 },
  ...rules,
};

/** The list of tickers. */
export const sec: Upstream = {
  name: "sec",
  baseUrl: { env: "SEC_BASE_URL", default: "https://www.sec.gov" },
  limits: { perSecond: 1, burst: 1 },
  ...rules,
};
