import { expect, test } from "vitest";
import { coin, coinMarket, coinSeries, prices } from "../../../worker/areas/finance/coins.map.ts";
import { coinGecko as bundled } from "../../../worker/areas/finance/samples/coingecko.ts";
import { coinGecko } from "../../../worker/upstreams/coingecko/client.ts";
import { ShapeError } from "#wire";
import { issues } from "../input.ts";
import { play } from "../play.ts";

test("finance surprise 12: prices are an object by coin, in the order of the request here", () => {
  const body = {
    bitcoin: { usd: 76_975, usd_24h_change: -1.4, last_updated_at: 1_779_092_258 },
    ethereum: { usd: 1, eur: 0.9, last_updated_at: null },
  };
  expect(prices(["ethereum", "nosuchcoin", "bitcoin", "bitcoin"], ["eur", "usd"], body)).toEqual([
    {
      coin_id: "ethereum",
      prices: [
        { currency: "eur", price: 0.9 },
        { currency: "usd", price: 1 },
      ],
    },
    {
      coin_id: "bitcoin",
      prices: [{ currency: "usd", price: 76_975, change_percent_24h: -1.4 }],
      updated_at: "2026-05-18T08:17:38.000Z",
    },
  ]);
  // A coin that is no longer traded, or an unknown currency.
  expect(prices(["bitcoin", "b"], ["xyz"], { bitcoin: { last_updated_at: 5 }, b: {} })).toEqual([]);
  expect(prices(["constructor"], ["usd"], {})).toEqual([]);
  expect(() => prices(["bitcoin"], ["usd"], [])).toThrow(ShapeError);
});

test("finance surprise 13: a chart is three columns of pairs, joined by their times", () => {
  const body = {
    prices: [
      [1_779_027_899_041, 77_953.82],
      [1_779_028_199_661, 78_052.87],
      [1_779_028_299_661, null],
    ],
    market_caps: [
      [1_779_027_899_041, 5],
      [1_779_028_299_661, 6],
    ],
    total_volumes: [],
  };
  expect(coinSeries(body)).toEqual([
    { time: "2026-05-17T14:24:59.041Z", price: 77_953.82, market_cap: 5 },
    { time: "2026-05-17T14:29:59.661Z", price: 78_052.87 },
  ]);
  expect(() => coinSeries({ market_caps: [] })).toThrow(ShapeError);
});

test("finance surprise 14: refusals of CoinGecko that concern the caller's fields", () => {
  const judged = (status: number, body: unknown) => coinGecko.judge({ status, headers: {}, body });
  expect(judged(401, { error: { status: { error_code: 10_012 } } })).toMatchObject({
    type: "validation_error",
    field: "from_date",
  });
  expect(judged(400, { error: "invalid vs_currency" })).toMatchObject({ field: "currency" });
  expect(judged(401, { status: { error_code: 10_002 } })).toMatchObject({
    type: "upstream_unavailable",
    operator: "access refused",
  });
});

test("finance surprise 15: values by currency, contracts by chain, empty addresses", () => {
  const row = coin("eur", {
    id: "token",
    name: "Token",
    symbol: "tok",
    platforms: { ethereum: "0x1", "": "", solana: "" },
    links: { homepage: ["", "https://token.example"], repos_url: { github: null } },
    market_data: { current_price: { usd: 2, eur: 1.8 } },
  });
  expect(row).toMatchObject({
    price: 1.8,
    symbol: "TOK",
    contracts: [{ blockchain: "ethereum", contract_address: "0x1" }],
    website_url: "https://token.example",
    repository_urls: [],
  });
  expect(coinMarket("usd")({ id: "x", name: "X", max_supply: null })).toEqual({
    coin_id: "x",
    name: "X",
    currency: "usd",
  });
});

test("finance: CoinGecko is called with the operator's key where one is set", () => {
  expect(coinGecko.authorize?.({ COINGECKO_API_KEY: "k" }, {} as never)).toEqual({
    "x-cg-demo-api-key": "k",
  });
  expect(coinGecko.authorize?.({}, {} as never)).toEqual({});
});

test("finance: a coin's history covers its last day, and must not end before it begins", async () => {
  const queries: unknown[] = [];
  const pattern = "GET /api/v3/coins/{coin}/market_chart/range";
  const answers = {
    [pattern]: ({ query }: { query?: unknown }) => {
      queries.push(query);
      return { prices: [[1, 2]], market_caps: [], total_volumes: [] };
    },
  };
  const input = { coin_id: "Bitcoin", from_date: "2026-05-01", to_date: "2026-05-01" };
  const samples = [{ ...bundled, answers }];
  expect(await play("finance.coins.history", input, { samples })).toMatchObject({ records: 1 });
  expect(queries).toEqual([{ vs_currency: "usd", from: 1_777_593_600, to: 1_777_679_999 }]);
  const wrong = await play("finance.coins.history", { ...input, from_date: "2026-05-02" });
  expect(wrong).toMatchObject({ ok: false, type: "validation_error" });
  expect(issues("finance.coins.price", { coin_ids: [] })).toEqual(["coin_ids"]);
});

test("the id of every found coin is taken, also one that begins with a sign", () => {
  const accepted = ["bitcoin", "-3", "_", "0-5x-long", "a.b"];
  for (const coin_id of accepted) {
    expect(issues("finance.coins.get", { coin_id }), coin_id).toEqual([]);
    expect(issues("finance.coins.price", { coin_ids: [coin_id] }), coin_id).toEqual([]);
  }
  for (const coin_id of ["", ".", "..", "a/b", "a,b", "a b", "a".repeat(101)])
    expect(issues("finance.coins.get", { coin_id }), coin_id).toEqual(["coin_id"]);
});
