import * as z from "zod";
import { id } from "../../fields.ts";

const upper = (given: string) => given.trim().toUpperCase();

const currencyForm = "an ISO 4217 code of three letters, such as USD";
const currency = id(/^[A-Z]{3}$/, "Currency", currencyForm, upper);

export const base = currency.default("EUR").describe(`Currency of the amount 1: ${currencyForm}`);
export const quote = currency.describe(`Currency of the rate: ${currencyForm}`);
export const quotes = z
  .array(currency)
  .min(1)
  .max(50)
  .optional()
  .describe("Up to 50 currencies, separated by commas; all of them by default");

export const country = id(
  /^[A-Z0-9]{2,3}$/,
  "Country",
  "an ISO 3166-1 code of two or three letters, or the World Bank's code of a group, such as EUU or 1W",
  upper,
);

export const indicator = id(
  /^[A-Z0-9][A-Z0-9._-]{0,99}$/,
  "Indicator",
  "the World Bank's code of 1 to 100 letters, digits, `.`, `_` or `-`, such as NY.GDP.MKTP.CD",
  upper,
);

export const lei = id(
  /^[A-Z0-9]{18}[0-9]{2}$/,
  "Legal entity",
  "a Legal Entity Identifier: 18 letters or digits and 2 digits",
  upper,
);

export const isin = id(
  /^[A-Z]{2}[A-Z0-9]{9}[0-9]$/,
  "Security",
  "an ISIN: 2 letters, 9 letters or digits and 1 digit",
  upper,
);

export const parentage = z
  .enum(["direct", "ultimate"])
  .default("direct")
  .describe("Next parent, or the one at the top, by their consolidated accounts");
