import * as z from "zod";
import { page, perPage } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { country, indicator } from "./input.ts";
import {
  financeCountry,
  financeIndicator,
  financeIndicatorSeries,
  financeIndicatorValue,
} from "./records.ts";
import { worldBank } from "./sources.ts";

const sources = [worldBank];
const year = (description: string) => z.int().min(1960).max(2100).describe(description);

export const indicators = [
  operation({
    id: "finance.indicators.series",
    method: "GET",
    path: "/finance/indicators/{indicator}/series",
    summary: "Figures of a development indicator for one country",
    description: "An indicator that the World Bank has archived is `not_found`.",
    sources,
    input: z.strictObject({
      indicator,
      country,
      from_year: year("First year; as early as there are figures by default").optional(),
      to_year: year("Last year; the current one by default").optional(),
    }),
    data: financeIndicatorSeries,
    records: { kind: "one", isNone: ({ series }) => series.length === 0 },
    example: { indicator: "NY.GDP.MKTP.CD", country: "DEU", from_year: 2015, to_year: 2024 },
  }),
  operation({
    id: "finance.indicators.countries",
    method: "GET",
    path: "/finance/indicators/{indicator}/countries",
    summary: "Figures of a development indicator for all countries in one year",
    description: "Groups of countries, such as regions, are among the rows.",
    sources,
    input: z.strictObject({
      indicator,
      year: year("Year of the figures"),
      ...page({ most: 300, default: 50 }),
    }),
    data: z.array(financeIndicatorValue),
    paginated: true,
    records: perPage,
    example: { indicator: "NY.GDP.MKTP.CD", year: 2024, limit: 5 },
  }),
  operation({
    id: "finance.indicators.get",
    method: "GET",
    path: "/finance/indicators/{indicator}",
    summary: "What a development indicator measures, and who publishes it",
    sources,
    input: z.strictObject({ indicator }),
    data: financeIndicator,
    records: { kind: "one" },
    example: { indicator: "NY.GDP.MKTP.CD" },
  }),
  operation({
    id: "finance.indicators.list",
    method: "GET",
    path: "/finance/indicators",
    summary: "Development indicators of a topic, or all of them",
    sources,
    input: z.strictObject({
      topic: z
        .int()
        .min(1)
        .max(21)
        .optional()
        .describe("Number of a topic: 1 agriculture, 3 economy and growth, 4 education, …"),
      ...page({ most: 500, default: 50 }),
    }),
    data: z.array(financeIndicator),
    paginated: true,
    records: perPage,
    example: { topic: 3, limit: 5 },
  }),
  operation({
    id: "finance.countries.get",
    method: "GET",
    path: "/finance/countries/{country}",
    summary: "Region, income level and capital of a country",
    sources,
    input: z.strictObject({ country }),
    data: financeCountry,
    records: { kind: "one" },
    example: { country: "DEU" },
  }),
  operation({
    id: "finance.countries.list",
    method: "GET",
    path: "/finance/countries",
    summary: "Countries and groups of countries that development indicators cover",
    sources,
    input: z.strictObject(page({ most: 300, default: 50 })),
    data: z.array(financeCountry),
    paginated: true,
    records: perPage,
    example: { limit: 5 },
  }),
] as const;
