import * as z from "zod";
import { day, id, page, perPage, text } from "../../fields.ts";
import { operation } from "../../operation.ts";
import {
  financeCoin,
  financeCoinFound,
  financeCoinHistory,
  financeCoinMarket,
  financeCoinPrice,
} from "./coin-records.ts";
import { coinGecko } from "./sources.ts";

const sources = [coinGecko];
const lower = (given: string) => given.trim().toLowerCase();

const coinId = id(
  /^[a-z0-9._-]{1,100}$/,
  "Coin",
  "CoinGecko's id of up to 100 letters, digits, `.`, `_` or `-`, such as bitcoin",
  lower,
);

const currencyCode = id(
  /^[a-z]{2,5}$/,
  "Currency",
  "2 to 5 letters: an ISO 4217 code such as usd, or the symbol of a large coin such as btc",
  lower,
);
const currency = currencyCode
  .default("usd")
  .describe("Currency of the prices: ISO 4217 code or symbol of a large coin");

export const coins = [
  operation({
    id: "finance.coins.search",
    method: "GET",
    path: "/finance/coins/search",
    summary: "Crypto currencies by name or symbol, the largest first",
    sources,
    input: z.strictObject({
      q: text(1, 100, "Name or symbol, or its beginning"),
      limit: z.int().min(1).max(250).default(20).describe("Most records to return"),
    }),
    data: z.array(financeCoinFound),
    records: perPage,
    example: { q: "harbour", limit: 5 },
  }),
  operation({
    id: "finance.coins.price",
    method: "GET",
    path: "/finance/coins/price",
    summary: "Prices of up to 50 crypto currencies now",
    description: "Unknown coins are absent.",
    sources,
    input: z.strictObject({
      coin_ids: z
        .array(coinId)
        .min(1)
        .max(50)
        .describe("Up to 50 ids of CoinGecko, separated by commas"),
      currencies: z
        .array(currencyCode)
        .min(1)
        .max(10)
        .default(["usd"])
        .describe("Up to 10 currencies, separated by commas"),
    }),
    data: z.array(financeCoinPrice),
    records: {
      kind: "list",
      rows: (data) => data,
      most: ({ coin_ids }) => coin_ids.length,
    },
    example: { coin_ids: ["samplecoin", "otherchain"], currencies: ["usd", "eur"] },
  }),
  operation({
    id: "finance.coins.markets",
    method: "GET",
    path: "/finance/coins/markets",
    summary: "Crypto currencies with price, market and supply",
    sources,
    input: z.strictObject({
      currency,
      category: z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[a-z0-9]{1,40}(-[a-z0-9]{1,40}){0,10}$/, {
          message: "must be words with dashes between them, such as layer-1",
        })
        .optional()
        .describe("Only coins of this category, by CoinGecko's id"),
      sort: z
        .enum(["market_cap_desc", "market_cap_asc", "volume_desc", "volume_asc"])
        .default("market_cap_desc")
        .describe("Order by market capitalisation or traded volume"),
      ...page({ most: 250, default: 50 }),
    }),
    data: z.array(financeCoinMarket),
    paginated: true,
    records: perPage,
    example: { currency: "usd", limit: 5 },
  }),
  operation({
    id: "finance.coins.get",
    method: "GET",
    path: "/finance/coins/{coin_id}",
    summary: "A crypto currency with market, description and addresses",
    sources,
    input: z.strictObject({ coin_id: coinId, currency }),
    data: financeCoin,
    records: { kind: "one" },
    example: { coin_id: "samplecoin" },
  }),
  operation({
    id: "finance.coins.history",
    method: "GET",
    path: "/finance/coins/{coin_id}/history",
    summary: "Prices of a crypto currency over time",
    description:
      "The source chooses the distance of the prices: five minutes within a day, an hour within 90 days, a day beyond. Without a paid account it shows the last 365 days.",
    sources,
    input: z.strictObject({
      coin_id: coinId,
      currency,
      from_date: day("First day", "2009-01-03"),
      to_date: day("Last day; today by default", "2009-01-03").optional(),
    }),
    data: financeCoinHistory,
    records: { kind: "one", isNone: ({ series }) => series.length === 0 },
    example: { coin_id: "samplecoin", from_date: "2026-05-01", to_date: "2026-05-10" },
  }),
] as const;
