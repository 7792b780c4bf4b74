import type { Reply, Upstream, Verdict } from "../../transport/upstream.ts";
import { judgeByStatus } from "../../transport/verdicts.ts";
import { at, integer, text } from "#wire";

/**
 * CoinGecko takes 100 calls a minute with a free demo key. Without a key all users of an address share a limit
 * that it does not publish (https://docs.coingecko.com/docs/errors-and-rate-limits). A demo key has 10,000 calls a
 * month (https://www.coingecko.com/en/api/pricing), which are not counted here.
 *
 * Its terms of 2025-09-05 bind every caller (https://www.coingecko.com/en/api_terms). A page with the data names
 * CoinGecko visibly beside them, with a link and an unaltered logo if any, and suggests no partnership
 * (https://brand.coingecko.com/resources/attribution-guide). Its price list names a commercial licence for paid
 * plans only. Of the terms only the first section was at hand: they bind by the first use.
 */
export const coinGecko: Upstream = {
  name: "coingecko",
  silenceMs: 20_000,
  baseUrl: { env: "COINGECKO_BASE_URL", default: "https://api.coingecko.com" },
  credentials: [],
  limits: { perSecond: 0.2, burst: 3 },
  optional: { credential: "COINGECKO_API_KEY", limits: { perSecond: 1.6, burst: 5 } },
  authorize: ({ COINGECKO_API_KEY: key }): Record<string, string> =>
    key ? { "x-cg-demo-api-key": key } : {},
  contact: {},
  judge,
};

/** The code of a 401 that refuses days before the last 365, which only a paid account shows. */
const beyondYear = 10_012;

function judge(reply: Reply): Verdict {
  const { status, body } = reply;
  if (status === 401 && integer(at(body, "error", "status", "error_code")) === beyondYear) {
    return {
      ok: false,
      type: "validation_error",
      message: "The source shows the last 365 days only",
      field: "from_date",
    };
  }
  if (status === 400 && text(at(body, "error")) === "invalid vs_currency") {
    return {
      ok: false,
      type: "validation_error",
      message: "The source has no prices in this currency",
      field: "currency",
    };
  }
  return judgeByStatus(reply);
}
