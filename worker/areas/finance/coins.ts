import type { finance } from "../../../contract/areas/finance/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { listed, whole } from "../../mapping/list.ts";
import { coinGecko } from "../../upstreams/coingecko/client.ts";
import { array, at, count, need, rows } from "#wire";
import { coin, coinMarket, coinSeries, coinsFound, prices } from "./coins.map.ts";

type Coins = Pick<
  Connector<typeof finance>,
  | "finance.coins.search"
  | "finance.coins.price"
  | "finance.coins.markets"
  | "finance.coins.get"
  | "finance.coins.history"
>;

type Query = Readonly<Record<string, string | number | boolean | undefined>>;

async function get(call: Call, path: string, query: Query) {
  return (await call.send(coinGecko, { method: "GET", path: `/api/v3${path}`, query })).body;
}

const secondsOf = (date: string) => Date.parse(`${date}T00:00:00Z`) / 1000;
const daySeconds = 86_400;

export const coins: Coins = {
  "finance.coins.search": async ({ q, limit }, call) =>
    whole(
      call,
      coinsFound(await get(call, "/search", { query: q })).slice(0, limit),
      (row) => row.coin_id,
    ),
  "finance.coins.price": async ({ coin_ids, currencies }, call) => {
    const body = await get(call, "/simple/price", {
      ids: coin_ids.join(","),
      vs_currencies: currencies.join(","),
      include_market_cap: true,
      include_24hr_vol: true,
      include_24hr_change: true,
      include_last_updated_at: true,
    });
    return whole(call, prices(coin_ids, currencies, body));
  },
  "finance.coins.markets": ({ currency, category, sort, limit }, call) =>
    listed(call, {
      limit,
      start: { page: 1, size: limit },
      key: (row) => row.coin_id,
      async fetch(position) {
        const page = need(count(at(position, "page")), "page");
        const size = need(count(at(position, "size")), "size");
        const body = await get(call, "/coins/markets", {
          vs_currency: currency,
          category,
          order: sort,
          per_page: size,
          page,
        });
        // The source states no end: a page that is not full is the last one.
        const isFull = need(array(body), "coins").length >= size;
        return {
          rows: rows(body, "coins", coinMarket(currency)),
          next: isFull ? { page: page + 1, size } : null,
        };
      },
    }),
  "finance.coins.get": async ({ coin_id, currency }, call) => {
    const body = await get(call, `/coins/${encodeURIComponent(coin_id)}`, {
      localization: false,
      tickers: false,
      market_data: true,
      community_data: false,
      developer_data: false,
    });
    return { data: coin(currency, body) };
  },
  "finance.coins.history": async ({ coin_id, currency, from_date, to_date }, call) => {
    const today = new Date(call.startedAt).toISOString().slice(0, 10);
    const last = to_date ?? today;
    if (from_date > last) {
      throw invalid("query", "from_date", "invalid_value", "from_date: must not be after to_date");
    }
    const body = await get(call, `/coins/${encodeURIComponent(coin_id)}/market_chart/range`, {
      vs_currency: currency,
      from: secondsOf(from_date),
      to: secondsOf(last) + daySeconds - 1,
    });
    return { data: { coin_id, currency, series: coinSeries(body) } };
  },
};
