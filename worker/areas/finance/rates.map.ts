import type {
  FinanceCurrencies,
  FinanceRateSeries,
  FinanceRates,
} from "../../../contract/areas/finance/records.ts";
import { defined, need, number, rows, text } from "#wire";

type Rate = FinanceRates["rates"][number];

/** Rates of a day; the source adds the base currency itself, with the rate 1. */
export function rates(base: string, body: unknown): FinanceRates {
  const own = (rate: Rate) => rate.quote !== base;
  return { base, rates: rows(body, "rates", rateOf).filter(own) };
}

function rateOf(row: { readonly [key: string]: unknown }): Rate {
  return {
    quote: need(text(row.quote), "rates.quote"),
    rate: need(number(row.rate), "rates.rate"),
    date: need(text(row.date), "rates.date"),
  };
}

/** Rates of one currency, oldest first. */
export function series(quote: string, body: unknown): FinanceRateSeries["series"] {
  return rows(body, "rates", (row) => {
    const one = rateOf(row);
    return one.quote === quote ? { date: one.date, rate: one.rate } : undefined;
  }).toSorted((one, other) => one.date.localeCompare(other.date));
}

export function currencies(body: unknown): FinanceCurrencies {
  return {
    currencies: rows(body, "currencies", (row) =>
      defined({
        currency: need(text(row.iso_code), "currencies.iso_code"),
        numeric_code: text(row.iso_numeric),
        name: need(text(row.name), "currencies.name"),
        symbol: text(row.symbol),
        first_date: text(row.start_date),
        last_date: text(row.end_date),
      }),
    ),
  };
}
