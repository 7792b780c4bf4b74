import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";

const usual = ["USD", "GBP", "JPY", "CHF"];
const dayMs = 86_400_000;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Days of the span, or the one day. */
function daysOf({ query }: SampleRequest): string[] {
  if (query?.from === undefined) return [String(query?.date ?? "2026-05-08")];
  const first = Date.parse(String(query.from));
  return Array.from({ length: 5 }, (_, index) => dayOf(first + index * dayMs));
}

function rates(request: SampleRequest) {
  const base = String(request.query?.base ?? "EUR");
  const wanted = request.query?.quotes;
  const quotes = wanted === undefined ? [base, ...usual] : String(wanted).split(",");
  return daysOf(request).flatMap((date) =>
    quotes.map((quote) => ({
      date,
      base,
      quote,
      rate: quote === base ? 1 : vary("rate", date, base, quote).int("rate", 500, 1900) / 1000,
    })),
  );
}

/** Sample answers of Frankfurter, written for this project. */
export const frankfurter: Samples = {
  upstream: "frankfurter",
  answers: {
    "GET /v2/rates": rates,
    "GET /v2/currencies": ({ query }) => [
      {
        iso_code: "EUR",
        iso_numeric: "978",
        name: "Euro",
        symbol: "€",
        start_date: "1999-01-04",
        end_date: "2026-05-08",
      },
      {
        iso_code: "USD",
        iso_numeric: "840",
        name: "United States Dollar",
        symbol: "$",
        start_date: "1971-01-04",
        end_date: "2026-05-08",
      },
      ...(query?.scope === "all"
        ? [{ iso_code: "DEM", iso_numeric: "276", name: "Deutsche Mark", symbol: null }]
        : []),
    ],
  },
  faults: {
    not_found: { status: 404, body: { message: "not found" } },
    upstream_error: { status: 400, body: { message: "bad request" } },
    upstream_unavailable: { status: 503, body: { message: "deadline expired" } },
  },
};
