import * as z from "zod";

const base = z.string().describe("Currency of the amount 1");
const quote = z.string().describe("Currency of the rate");
const rate = z.number().describe("Units of `quote` for one unit of `base`");
const rateDate = z.string().describe("Day of the rate, YYYY-MM-DD");

export const financeRates = z
  .object({
    base,
    rates: z
      .array(z.object({ quote, rate, date: rateDate }))
      .describe("Rates without that of `base` itself"),
  })
  .meta({ id: "FinanceRates" });

export const financeRateSeries = z
  .object({
    base,
    quote,
    granularity: z.string().describe("daily, weekly or monthly"),
    series: z.array(z.object({ date: rateDate, rate })).describe("Rates, oldest first"),
  })
  .meta({ id: "FinanceRateSeries" });

export const financeCurrencies = z
  .object({
    currencies: z.array(
      z.object({
        currency: z.string(),
        numeric_code: z.string().optional(),
        name: z.string(),
        symbol: z.string().optional(),
        first_date: z.string().optional(),
        last_date: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "FinanceCurrencies" });

const countryCode = z
  .string()
  .optional()
  .describe("ISO 3166-1 code of three letters; the World Bank's own code of a group");

export const financeCountry = z
  .object({
    country_code: z.string().describe("ISO 3166-1 code of three letters, or that of a group"),
    short_code: z.string().optional().describe("Code of two letters"),
    name: z.string(),
    is_group: z.boolean(),
    region: z.string().optional(),
    income_level: z.string().optional(),
    lending_type: z.string().optional(),
    capital: z.string().optional(),
    latitude: z.number().optional().describe("Degrees of latitude of the capital"),
    longitude: z.number().optional().describe("Degrees of longitude of the capital"),
  })
  .meta({ id: "FinanceCountry" });

export const financeIndicator = z
  .object({
    indicator_id: z.string(),
    name: z.string(),
    unit: z.string().optional(),
    source: z.string().optional().describe("Collection of data that holds the indicator"),
    description: z.string().optional(),
    organization: z.string().optional().describe("Who publishes the figures"),
    topics: z.array(z.string()),
  })
  .meta({ id: "FinanceIndicator" });

const value = z.number().describe("The figure, in the unit that the indicator's name states");

export const financeIndicatorSeries = z
  .object({
    indicator_id: z.string(),
    indicator: z.string(),
    country_code: countryCode,
    country: z.string(),
    updated_at: z.string().optional().describe("Day of the last change of the data"),
    series: z
      .array(z.object({ period: z.string(), value }))
      .describe("Figures, oldest first; periods without a figure are absent"),
  })
  .meta({ id: "FinanceIndicatorSeries" });

export const financeIndicatorValue = z
  .object({
    indicator_id: z.string(),
    indicator: z.string(),
    country_code: countryCode,
    country: z.string(),
    period: z.string(),
    value: value.optional(),
  })
  .meta({ id: "FinanceIndicatorValue" });

const entityAddress = z
  .object({
    lines: z.array(z.string()).describe("Street and house, as they stand on a letter"),
    city: z.string().optional(),
    region: z.string().optional().describe("Region, ISO 3166-2"),
    country_code: z.string().optional().describe("ISO 3166-1 code of two letters"),
    postal_code: z.string().optional(),
  })
  .meta({ id: "FinanceEntityAddress" });

export const financeEntity = z
  .object({
    lei: z.string(),
    name: z.string().describe("Legal name"),
    language: z.string().optional().describe("Language of the name"),
    other_names: z.array(
      z.object({
        name: z.string(),
        language: z.string().optional(),
        type: z.string().optional().describe("trading_or_operating_name, previous_legal_name, …"),
      }),
    ),
    entity_status: z.string().optional().describe("active or inactive"),
    category: z.string().optional().describe("general, fund, branch, …"),
    jurisdiction: z.string().optional(),
    legal_form_code: z.string().optional(),
    legal_form: z.string().optional(),
    authority_id: z.string().optional(),
    authority_number: z.string().optional(),
    founded_at: z.string().optional(),
    expired_at: z.string().optional(),
    expiration_reason: z.string().optional(),
    successor_lei: z.string().optional(),
    successor_name: z.string().optional(),
    legal_address: entityAddress.optional(),
    headquarters_address: entityAddress.optional(),
    bics: z.array(z.string()),
    mics: z.array(z.string()),
    registration_status: z.string().optional().describe("issued, lapsed, retired, …"),
    registered_at: z.string().optional(),
    updated_at: z.string().optional(),
    renewal_due_at: z.string().optional(),
    issuer_lei: z.string().optional(),
    corroboration: z.string().optional(),
  })
  .meta({ id: "FinanceEntity" });

export const financeSecurity = z
  .object({ isin: z.string(), lei: z.string() })
  .meta({ id: "FinanceSecurity" });

export type FinanceRates = z.output<typeof financeRates>;
export type FinanceRateSeries = z.output<typeof financeRateSeries>;
export type FinanceCurrencies = z.output<typeof financeCurrencies>;
export type FinanceCountry = z.output<typeof financeCountry>;
export type FinanceIndicator = z.output<typeof financeIndicator>;
export type FinanceIndicatorSeries = z.output<typeof financeIndicatorSeries>;
export type FinanceIndicatorValue = z.output<typeof financeIndicatorValue>;
export type FinanceEntity = z.output<typeof financeEntity>;
export type FinanceSecurity = z.output<typeof financeSecurity>;
