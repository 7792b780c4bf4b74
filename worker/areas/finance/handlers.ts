import type { finance } from "../../../contract/areas/finance/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { frankfurter, frankfurterFor } from "../../upstreams/frankfurter/client.ts";
import { gleif } from "../../upstreams/gleif/client.ts";
import { worldBank } from "../../upstreams/world-bank/client.ts";
import { array, at, found, need, object } from "#wire";
import { coins } from "./coins.ts";
import { companies } from "./companies.ts";
import { entity, pageOf, security } from "./entities.map.ts";
import {
  country,
  indicator,
  indicatorSeries,
  indicatorValue,
  onlyRow,
  pagesOf,
  rowsOf,
} from "./indicators.map.ts";
import { numbered } from "./pages.ts";
import { currencies, rates, series } from "./rates.map.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query = {}) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

interface Wanted {
  base: string;
  quote?: string;
  quotes?: readonly string[] | undefined;
}

/** Rates of the latest day, of `date`, or of a span. */
function ratesFrom(call: Call, { base, quote, quotes = [] }: Wanted, query: Query = {}) {
  const upstream = frankfurterFor({ base: [base], quote: quote ? [quote] : [], quotes });
  const codes = quote === undefined ? quotes : [quote];
  const wanted = codes.length === 0 ? undefined : codes.join(",");
  return get(call, upstream, "/v2/rates", { ...query, base, quotes: wanted });
}

const bank = (call: Call, path: string, query: Query = {}) =>
  get(call, worldBank, `/v2${path}`, { format: "json", ...query });

/** Most figures of one country: monthly ones since 1960 fit. */
const mostPeriods = 1000;

interface Years {
  from_year?: number | undefined;
  to_year?: number | undefined;
}

/** The source's span of years; both ends are required there. */
function spanOf({ from_year, to_year }: Years, call: Call): string | undefined {
  if (from_year === undefined && to_year === undefined) return undefined;
  const to = to_year ?? new Date(call.startedAt).getUTCFullYear();
  const from = from_year ?? 1960;
  inOrder(from, to, "from_year", "to_year");
  return `${from}:${to}`;
}

function inOrder<T>(from: T, to: T, field: string, other: string): void {
  if (from <= to) return;
  throw invalid("query", field, "invalid_value", `${field}: must not be after ${other}`);
}

const bankPages = <Row>(
  call: Call,
  limit: number,
  request: { path: string; query?: Query; read: Parameters<typeof rowsOf<Row>>[1] },
) =>
  numbered(call, {
    limit,
    async fetch(page, per_page) {
      const body = await bank(call, request.path, { ...request.query, page, per_page });
      return { rows: rowsOf(body, request.read), last: pagesOf(body) };
    },
  });

const leiPath = (lei: string) => `/api/v1/lei-records/${encodeURIComponent(lei)}`;

const leiPages = <Row>(
  call: Call,
  limit: number,
  request: { path: string; query?: Query; read: Parameters<typeof pageOf<Row>>[1] },
  key: (row: Row) => string,
) =>
  numbered(call, {
    limit,
    key,
    async fetch(number, size) {
      const query = { ...request.query, "page[number]": number, "page[size]": size };
      return pageOf(await get(call, gleif, request.path, query), request.read);
    },
  });

const byLei = (row: { lei: string }) => row.lei;
const byIsin = (row: { isin: string }) => row.isin;

const oneEntity = (body: unknown) => entity(need(object(at(body, "data")), "data"));

const nameFilters = { name: "filter[entity.legalName]", everything: "filter[fulltext]" };

const granularities = { daily: undefined, weekly: "week", monthly: "month" };

export default {
  "finance.rates.latest": async ({ base, quotes }, call) => ({
    data: rates(base, await ratesFrom(call, { base, quotes })),
  }),
  "finance.rates.history": async ({ date, base, quotes }, call) => ({
    data: rates(base, await ratesFrom(call, { base, quotes }, { date })),
  }),
  "finance.rates.series": async ({ base, quote, from_date, to_date, granularity }, call) => {
    if (to_date !== undefined) inOrder(from_date, to_date, "from_date", "to_date");
    const span = { from: from_date, to: to_date, group: granularities[granularity] };
    const body = await ratesFrom(call, { base, quote }, span);
    return { data: { base, quote, granularity, series: series(quote, body) } };
  },
  "finance.currencies.list": async ({ is_complete }, call) => {
    const scope = is_complete ? "all" : undefined;
    return { data: currencies(await get(call, frankfurter, "/v2/currencies", { scope })) };
  },

  "finance.indicators.series": async (input, call) => {
    const path = `/country/${encodeURIComponent(input.country)}/indicator/${encodeURIComponent(input.indicator)}`;
    const body = await bank(call, path, { date: spanOf(input, call), per_page: mostPeriods });
    return { data: found(indicatorSeries(body), "figure") };
  },
  "finance.indicators.countries": (input, call) =>
    bankPages(call, input.limit, {
      path: `/country/all/indicator/${encodeURIComponent(input.indicator)}`,
      query: { date: input.year },
      read: indicatorValue,
    }),
  "finance.indicators.get": async (input, call) => {
    const body = await bank(call, `/indicator/${encodeURIComponent(input.indicator)}`);
    return { data: indicator(found(onlyRow(body), "indicator")) };
  },
  "finance.indicators.list": ({ topic, limit }, call) =>
    bankPages(call, limit, { path: "/indicator", query: { topic }, read: indicator }),
  "finance.countries.get": async (input, call) => {
    const body = await bank(call, `/country/${encodeURIComponent(input.country)}`);
    return { data: country(found(onlyRow(body), "country")) };
  },
  "finance.countries.list": ({ limit }, call) =>
    bankPages(call, limit, { path: "/country", read: country }),

  "finance.entities.get": async ({ lei }, call) => ({
    data: oneEntity(await get(call, gleif, leiPath(lei))),
  }),
  "finance.entities.search": (input, call) =>
    leiPages(
      call,
      input.limit,
      {
        path: "/api/v1/lei-records",
        query: {
          [nameFilters[input.search_in]]: input.q,
          "filter[entity.legalAddress.country]": input.country,
        },
        read: entity,
      },
      byLei,
    ),
  "finance.entities.parent": async ({ lei, parentage }, call) => ({
    data: oneEntity(await get(call, gleif, `${leiPath(lei)}/${parentage}-parent`)),
  }),
  "finance.entities.children": ({ lei, parentage, limit }, call) =>
    leiPages(call, limit, { path: `${leiPath(lei)}/${parentage}-children`, read: entity }, byLei),
  "finance.entities.securities": ({ lei, limit }, call) =>
    leiPages(call, limit, { path: `${leiPath(lei)}/isins`, read: security }, byIsin),
  "finance.securities.issuer": async ({ isin }, call) => {
    const body = await get(call, gleif, "/api/v1/lei-records", { "filter[isin]": isin });
    const [first] = need(array(at(body, "data")), "data");
    return { data: entity(found(object(first), "security")) };
  },

  ...companies,
  ...coins,
} satisfies Connector<typeof finance>;
