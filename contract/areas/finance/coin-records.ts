import * as z from "zod";

const coinId = z.string().describe("CoinGecko's id of the coin, such as bitcoin");
const symbol = z
  .string()
  .optional()
  .describe("Short name at exchanges; several coins may share it");
const currency = z
  .string()
  .describe("Currency of the prices: ISO 4217, or the symbol of a coin, in small letters");
const rank = z.int().min(0).optional().describe("Place by market capitalisation, from 1");
const money = (description: string) =>
  z.number().optional().describe(`${description}, in the requested currency`);
const percent = (description: string) =>
  z.number().optional().describe(`${description}, in percent`);
const coins = (description: string) => z.number().optional().describe(`${description}, in coins`);

export const financeCoinFound = z
  .object({
    coin_id: coinId,
    name: z.string(),
    symbol,
    market_cap_rank: rank,
    image_url: z.string().optional(),
  })
  .meta({ id: "FinanceCoinFound" });

export const financeCoinPrice = z
  .object({
    coin_id: coinId,
    prices: z.array(
      z.object({
        currency,
        price: z.number().describe("Price of one coin"),
        market_cap: z.number().optional().describe("Price times the coins in circulation"),
        volume_24h: z.number().optional().describe("Traded in the last 24 hours"),
        change_percent_24h: percent("Change of the price in the last 24 hours"),
      }),
    ),
    updated_at: z.string().optional(),
  })
  .meta({ id: "FinanceCoinPrice" });

const market = {
  price: money("Price of one coin"),
  market_cap: money("Price times the coins in circulation"),
  market_cap_rank: rank,
  fully_diluted_value: money("Price times the coins there will ever be"),
  volume_24h: money("Traded in the last 24 hours"),
  high_24h: money("Highest price of the last 24 hours"),
  low_24h: money("Lowest price of the last 24 hours"),
  change_24h: money("Change of the price in the last 24 hours"),
  change_percent_24h: percent("Change of the price in the last 24 hours"),
  circulating_supply: coins("In circulation"),
  total_supply: coins("Made so far, without those destroyed"),
  max_supply: coins("Most there will ever be"),
  all_time_high: money("Highest price ever"),
  all_time_high_at: z.string().optional(),
  all_time_low: money("Lowest price ever"),
  all_time_low_at: z.string().optional(),
  updated_at: z.string().optional(),
};

export const financeCoinMarket = z
  .object({
    coin_id: coinId,
    name: z.string(),
    symbol,
    currency,
    ...market,
    image_url: z.string().optional(),
  })
  .meta({ id: "FinanceCoinMarket" });

export const financeCoin = z
  .object({
    coin_id: coinId,
    name: z.string(),
    symbol,
    currency,
    ...market,
    change_percent_7d: percent("Change of the price in the last 7 days"),
    change_percent_30d: percent("Change of the price in the last 30 days"),
    change_percent_1y: percent("Change of the price in the last year"),
    description: z.string().optional(),
    categories: z.array(z.string()),
    hashing_algorithm: z.string().optional(),
    block_minutes: z.number().optional(),
    genesis_date: z.string().optional(),
    contracts: z
      .array(z.object({ blockchain: z.string(), contract_address: z.string() }))
      .describe("Contracts of a token; empty for a coin with a chain of its own"),
    website_url: z.string().optional(),
    whitepaper_url: z.string().optional(),
    repository_urls: z.array(z.string()),
    image_url: z.string().optional(),
  })
  .meta({ id: "FinanceCoin" });

export const financeCoinHistory = z
  .object({
    coin_id: coinId,
    currency,
    series: z
      .array(
        z.object({
          time: z.string().describe("Moment of the price, ISO 8601 in UTC"),
          price: z.number().describe("Price of one coin, in the requested currency"),
          market_cap: money("Price times the coins in circulation"),
          volume_24h: money("Traded in the 24 hours before"),
        }),
      )
      .describe("Prices, oldest first"),
  })
  .meta({ id: "FinanceCoinHistory" });

export type FinanceCoinFound = z.output<typeof financeCoinFound>;
export type FinanceCoinPrice = z.output<typeof financeCoinPrice>;
export type FinanceCoinMarket = z.output<typeof financeCoinMarket>;
export type FinanceCoin = z.output<typeof financeCoin>;
export type FinanceCoinHistory = z.output<typeof financeCoinHistory>;
