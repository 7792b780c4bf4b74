import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 120 };
const image = "https://coin-images.coingecko.com/coins/images/1/large/sample.png";

const search = ({ query, empty }: SampleRequest) => ({
  coins: Array.from({ length: empty ? 0 : 8 }, (_, index) => {
    const v = vary("coin", String(query?.query), index);
    const name = `${v.pick("name", words)} ${index}`;
    return {
      id: name.replace(" ", "-"),
      name,
      api_symbol: name.replace(" ", "-"),
      symbol: v.token("symbol", 3).toUpperCase(),
      market_cap_rank: index === 7 ? null : index + 1,
      thumb: image,
      large: image,
    };
  }),
  exchanges: [],
  icos: [],
  categories: [],
  nfts: [],
});

const price = ({ query, empty }: SampleRequest) =>
  Object.fromEntries(
    (empty ? [] : String(query?.ids).split(",")).map((id) => [
      id,
      {
        ...Object.fromEntries(
          String(query?.vs_currencies)
            .split(",")
            .flatMap((currency) => {
              const v = vary("price", id, currency);
              return [
                [currency, v.int("price", 100, 99_999) / 100],
                [`${currency}_market_cap`, v.int("capital", 10_000, 999_999) + 0.5],
                [`${currency}_24h_vol`, v.int("volume", 1000, 9999) + 0.25],
                [`${currency}_24h_change`, v.int("change", -500, 500) / 100],
              ];
            }),
        ),
        last_updated_at: 1_779_092_258 + vary("time", id).int("s", 0, 999),
      },
    ]),
  );

function market(seed: string, index: number) {
  const v = vary("market", seed, index);
  const amount = (name: string) => v.int(name, 1000, 999_999) / 100;
  return {
    id: `${v.pick("id", words)}-${index}`,
    symbol: "smp",
    name: `${v.pick("name", words)} ${index}`,
    image,
    current_price: amount("price"),
    market_cap: amount("capital"),
    market_cap_rank: index + 1,
    fully_diluted_valuation: amount("diluted"),
    total_volume: amount("volume"),
    high_24h: amount("high"),
    low_24h: amount("low"),
    price_change_24h: amount("change"),
    price_change_percentage_24h: -0.95302,
    circulating_supply: amount("circulating"),
    total_supply: amount("total"),
    max_supply: index % 2 === 0 ? null : amount("max"),
    ath: amount("ath"),
    ath_date: "2025-10-06T18:57:42.558Z",
    atl: amount("atl"),
    atl_date: "2013-07-06T00:00:00.000Z",
    roi: null,
    last_updated: "2026-05-18T12:49:21.599Z",
  };
}

const markets = ({ query, empty, secondPage }: SampleRequest) => {
  const [page, count] = [Number(query?.page), Number(query?.per_page)];
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const seed = `${query?.vs_currency} ${query?.order}`;
  return slice({ total, offset: (page - 1) * count, count }, (index) => market(seed, index));
};

const currencies = ["usd", "eur", "btc"];

function whole({ parts }: SampleRequest) {
  const id = parts.coin as string;
  const row = market(id, 0);
  const each = (name: string) =>
    Object.fromEntries(
      currencies.map((currency) => [
        currency,
        vary("whole", id, name, currency).int("value", 1000, 99_999) / 100,
      ]),
    );
  const dates = (date: string) => Object.fromEntries(currencies.map((one) => [one, date]));
  return {
    id,
    symbol: "smp",
    name: "Samplecoin",
    platforms: { ethereum: "0x5a3b1e11e0000000000000000000000000000000", "": "" },
    block_time_in_minutes: 10,
    hashing_algorithm: "SHA-256",
    categories: ["Cryptocurrency", "Layer 1 (L1)"],
    description: { en: "The first sample of money. " },
    links: {
      homepage: ["https://samplecoin.example", "", ""],
      whitepaper: "https://samplecoin.example/paper.pdf",
      repos_url: { github: ["https://github.com/sample/coin"], bitbucket: [] },
    },
    image: { thumb: image, small: image, large: image },
    genesis_date: "2009-01-03",
    market_cap_rank: 7,
    market_data: {
      current_price: each("price"),
      market_cap: each("capital"),
      fully_diluted_valuation: each("diluted"),
      total_volume: each("volume"),
      high_24h: each("high"),
      low_24h: each("low"),
      price_change_24h_in_currency: each("change"),
      price_change_percentage_24h_in_currency: each("percent"),
      price_change_percentage_7d_in_currency: each("week"),
      price_change_percentage_30d_in_currency: each("month"),
      price_change_percentage_1y_in_currency: each("year"),
      ath: each("ath"),
      ath_date: dates("2025-10-06T18:57:42.558Z"),
      atl: each("atl"),
      atl_date: dates("2013-07-06T00:00:00.000Z"),
      circulating_supply: row.circulating_supply,
      total_supply: row.total_supply,
      max_supply: 21_000_000,
    },
    last_updated: "2026-05-18T12:49:21.599Z",
  };
}

const chart = ({ parts, query, empty }: SampleRequest) => {
  const start = Number(query?.from) * 1000;
  const column = (name: string) =>
    Array.from({ length: empty ? 0 : 5 }, (_, index) => [
      start + index * 3_600_000,
      vary("chart", parts.coin as string, name, index).int("value", 1000, 99_999) / 100,
    ]);
  return {
    prices: column("price"),
    market_caps: column("capital"),
    total_volumes: column("volume"),
  };
};

/** Sample answers of CoinGecko, written for this project. */
export const coinGecko: Samples = {
  upstream: "coingecko",
  answers: {
    "GET /api/v3/search": search,
    "GET /api/v3/simple/price": price,
    "GET /api/v3/coins/markets": markets,
    "GET /api/v3/coins/{coin}": whole,
    "GET /api/v3/coins/{coin}/market_chart/range": chart,
  },
  faults: {
    not_found: { status: 404, body: { error: "coin not found" } },
    upstream_error: { status: 400, body: { error: "bad request" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
