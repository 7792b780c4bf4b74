import * as z from "zod";
import { day } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { base, quote, quotes } from "./input.ts";
import { financeCurrencies, financeRateSeries, financeRates } from "./records.ts";
import { frankfurter } from "./sources.ts";

const earliest = "1948-01-01";
const sources = [frankfurter];
const meaning =
  "Reference rates that central banks publish, blended where several do; they are no market prices.";
const hasNoRates = ({ rates }: { rates: readonly unknown[] }) => rates.length === 0;

export const rates = [
  operation({
    id: "finance.rates.latest",
    method: "GET",
    path: "/finance/rates/latest",
    summary: "Exchange rates of the last working day",
    description: meaning,
    sources,
    input: z.strictObject({ base, quotes }),
    data: financeRates,
    records: { kind: "one", isNone: hasNoRates },
    example: { base: "EUR", quotes: ["USD", "GBP"] },
  }),
  operation({
    id: "finance.rates.history",
    method: "GET",
    path: "/finance/rates/history",
    summary: "Exchange rates of a day",
    description: `${meaning} A day without rates has those of the working day before.`,
    sources,
    input: z.strictObject({ date: day("Day of the rates", earliest), base, quotes }),
    data: financeRates,
    records: { kind: "one", isNone: hasNoRates },
    example: { date: "2026-05-04", base: "EUR", quotes: ["USD", "GBP"] },
  }),
  operation({
    id: "finance.rates.series",
    method: "GET",
    path: "/finance/rates/series",
    summary: "Exchange rates of two currencies over time",
    description: meaning,
    sources,
    input: z.strictObject({
      base,
      quote,
      from_date: day("First day", earliest),
      to_date: day("Last day; today by default", earliest).optional(),
      granularity: z
        .enum(["daily", "weekly", "monthly"])
        .default("daily")
        .describe("Span of each rate"),
    }),
    data: financeRateSeries,
    records: { kind: "one", isNone: ({ series }) => series.length === 0 },
    example: { base: "EUR", quote: "USD", from_date: "2026-05-01", to_date: "2026-05-10" },
  }),
  operation({
    id: "finance.currencies.list",
    method: "GET",
    path: "/finance/currencies",
    summary: "Currencies with exchange rates, and since when",
    sources,
    input: z.strictObject({
      is_complete: z.boolean().default(false).describe("Include currencies that no longer exist"),
    }),
    data: financeCurrencies,
    records: { kind: "one", isNone: ({ currencies }) => currencies.length === 0 },
    example: {},
  }),
] as const;
