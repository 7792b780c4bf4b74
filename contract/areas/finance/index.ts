import { area } from "../../operation.ts";
import { coins } from "./coins.ts";
import { companies } from "./companies.ts";
import { entities } from "./entities.ts";
import { indicators } from "./indicators.ts";
import { rates } from "./rates.ts";

export const finance = area({
  name: "finance",
  summary:
    "Exchange rates, crypto currencies, development indicators of countries, legal entities, and filings of companies",
  pool: "social",
  operations: [...rates, ...indicators, ...entities, ...companies, ...coins],
});
