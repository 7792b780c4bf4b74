import type {
  FinanceCoin,
  FinanceCoinFound,
  FinanceCoinHistory,
  FinanceCoinMarket,
  FinanceCoinPrice,
} from "../../../contract/areas/finance/coin-records.ts";
import {
  type Wire,
  array,
  at,
  count,
  defined,
  each,
  need,
  number,
  object,
  rows,
  text,
} from "#wire";

const trimmed = (value: unknown) => text(text(value)?.trim());

function coinFound(row: Wire): FinanceCoinFound {
  return defined({
    coin_id: need(text(row.id), "coins.id"),
    name: need(text(row.name), "coins.name"),
    symbol: text(row.symbol),
    market_cap_rank: count(row.market_cap_rank),
    image_url: text(row.large),
  });
}

export const coinsFound = (body: unknown) => rows(at(body, "coins"), "coins", coinFound);

const timeOf = (ms: number) => new Date(ms).toISOString();

/** Seconds or milliseconds since 1970 beyond this have no day. */
const lastMoment = 8.64e15;

/** Prices in the order of the request, without coins that have none; the source's answer is an object by coin. */
export function prices(
  coinIds: readonly string[],
  currencies: readonly string[],
  body: unknown,
): FinanceCoinPrice[] {
  const all = need(object(body), "prices");
  return [...new Set(coinIds)].flatMap((coin_id) => {
    const row = object(Object.hasOwn(all, coin_id) ? all[coin_id] : undefined);
    if (!row) return [];
    const seconds = number(row.last_updated_at);
    const known = [...new Set(currencies)].flatMap((currency) => {
      const price = number(row[currency]);
      if (price === undefined) return [];
      return [
        defined({
          currency,
          price,
          market_cap: number(row[`${currency}_market_cap`]),
          volume_24h: number(row[`${currency}_24h_vol`]),
          change_percent_24h: number(row[`${currency}_24h_change`]),
        }),
      ];
    });
    // A coin that nobody trades any more is an empty object.
    if (known.length === 0) return [];
    return [
      defined({
        coin_id,
        prices: known,
        updated_at:
          seconds === undefined || Math.abs(seconds) * 1000 > lastMoment
            ? undefined
            : timeOf(seconds * 1000),
      }),
    ];
  });
}

export const coinMarket =
  (currency: string) =>
  (row: Wire): FinanceCoinMarket =>
    defined({
      coin_id: need(text(row.id), "coins.id"),
      name: need(text(row.name), "coins.name"),
      symbol: text(row.symbol)?.toUpperCase(),
      currency,
      price: number(row.current_price),
      market_cap: number(row.market_cap),
      market_cap_rank: count(row.market_cap_rank),
      fully_diluted_value: number(row.fully_diluted_valuation),
      volume_24h: number(row.total_volume),
      high_24h: number(row.high_24h),
      low_24h: number(row.low_24h),
      change_24h: number(row.price_change_24h),
      change_percent_24h: number(row.price_change_percentage_24h),
      circulating_supply: number(row.circulating_supply),
      total_supply: number(row.total_supply),
      max_supply: number(row.max_supply),
      all_time_high: number(row.ath),
      all_time_high_at: text(row.ath_date),
      all_time_low: number(row.atl),
      all_time_low_at: text(row.atl_date),
      updated_at: text(row.last_updated),
      image_url: text(row.image),
    });

function contracts(platforms: unknown): FinanceCoin["contracts"] {
  return Object.entries(object(platforms) ?? {}).flatMap(([blockchain, value]) => {
    const contract_address = text(value);
    return blockchain === "" || contract_address === undefined
      ? []
      : [{ blockchain, contract_address }];
  });
}

/** A coin's market values in one currency; the source has each as an object by currency. */
export function coin(currency: string, body: unknown): FinanceCoin {
  const row = need(object(body), "coin");
  const { market_data: market, links } = row;
  const valueOf = (name: string) => number(at(market, name, currency));
  return defined({
    coin_id: need(text(row.id), "id"),
    name: need(text(row.name), "name"),
    symbol: text(row.symbol)?.toUpperCase(),
    currency,
    price: valueOf("current_price"),
    market_cap: valueOf("market_cap"),
    market_cap_rank: count(row.market_cap_rank) ?? count(at(market, "market_cap_rank")),
    fully_diluted_value: valueOf("fully_diluted_valuation"),
    volume_24h: valueOf("total_volume"),
    high_24h: valueOf("high_24h"),
    low_24h: valueOf("low_24h"),
    change_24h: valueOf("price_change_24h_in_currency"),
    change_percent_24h: valueOf("price_change_percentage_24h_in_currency"),
    circulating_supply: number(at(market, "circulating_supply")),
    total_supply: number(at(market, "total_supply")),
    max_supply: number(at(market, "max_supply")),
    all_time_high: valueOf("ath"),
    all_time_high_at: text(at(market, "ath_date", currency)),
    all_time_low: valueOf("atl"),
    all_time_low_at: text(at(market, "atl_date", currency)),
    updated_at: text(row.last_updated),
    change_percent_7d: valueOf("price_change_percentage_7d_in_currency"),
    change_percent_30d: valueOf("price_change_percentage_30d_in_currency"),
    change_percent_1y: valueOf("price_change_percentage_1y_in_currency"),
    description: trimmed(at(row.description, "en")),
    categories: each(row.categories, text),
    hashing_algorithm: text(row.hashing_algorithm),
    block_minutes: number(row.block_time_in_minutes),
    genesis_date: text(row.genesis_date),
    contracts: contracts(row.platforms),
    website_url: each(at(links, "homepage"), text)[0],
    whitepaper_url: text(at(links, "whitepaper")),
    repository_urls: each(at(links, "repos_url", "github"), text),
    image_url: text(at(row.image, "large")),
  });
}

/** Prices, and what stands at the same place of the other columns, if it is of the same time. */
export function coinSeries(body: unknown): FinanceCoinHistory["series"] {
  const list = need(array(at(body, "prices")), "prices");
  return list.flatMap((entry, index) => {
    const [ms, price] = [number(at(entry, 0)), number(at(entry, 1))];
    if (ms === undefined || price === undefined || Math.abs(ms) > lastMoment) return [];
    const beside = (column: string) => {
      const isSame = number(at(body, column, index, 0)) === ms;
      return isSame ? number(at(body, column, index, 1)) : undefined;
    };
    return [
      defined({
        time: timeOf(ms),
        price,
        market_cap: beside("market_caps"),
        volume_24h: beside("total_volumes"),
      }),
    ];
  });
}
