import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { operation } from "../../operation.ts";
import {
  financeCompany,
  financeCompanyValue,
  financeConcept,
  financeFacts,
  financeFiling,
  financeListing,
} from "./company-records.ts";
import { edgar } from "./sources.ts";

const sources = [edgar];

const company = id(
  /^([0-9]{1,10}|[A-Z][A-Z0-9]{0,9}(-[A-Z0-9]{1,4})?)$/,
  "Company",
  "a ticker of up to 10 letters or digits, such as AAPL or BRK-B, or a CIK number of the SEC of up to 10 digits",
  (given) =>
    given
      .trim()
      .toUpperCase()
      .replace(/^CIK(?=[0-9])/, "")
      .replace(".", "-"),
);

const taxonomies = ["us-gaap", "ifrs-full", "dei"] as const;
const taxonomy = z.enum(taxonomies).default("us-gaap").describe("Vocabulary of the concept");
const concept = id(
  /^[A-Z][A-Za-z0-9]{1,254}$/,
  "Concept",
  "a name of the vocabulary, 2 to 255 letters or digits, such as NetIncomeLoss, whose case counts",
);

export const companies = [
  operation({
    id: "finance.tickers.search",
    method: "GET",
    path: "/finance/tickers",
    summary: "Tickers of companies that file with the SEC, by ticker or name",
    description: "Tickers that begin with the words come first, then names that hold them all.",
    sources,
    input: z.strictObject({
      q: text(1, 100, "Ticker or its beginning, or words of the company's name"),
      ...page({ most: 100, default: 20 }),
    }),
    data: z.array(financeListing),
    paginated: true,
    records: perPage,
    example: { q: "harbour", limit: 5 },
  }),
  operation({
    id: "finance.companies.get",
    method: "GET",
    path: "/finance/companies/{company}",
    summary: "A company that files with the SEC",
    sources,
    input: z.strictObject({ company }),
    data: financeCompany,
    records: { kind: "one" },
    example: { company: "SMPL" },
  }),
  operation({
    id: "finance.companies.filings",
    method: "GET",
    path: "/finance/companies/{company}/filings",
    summary: "Filings of a company with the SEC, newest first",
    sources,
    input: z.strictObject({
      company,
      form: text(1, 20, "Only this form, such as 10-K; amendments (10-K/A) are another form")
        .toUpperCase()
        .optional(),
      ...page({ most: 200, default: 50 }),
    }),
    data: z.array(financeFiling),
    paginated: true,
    records: perPage,
    example: { company: "SMPL", limit: 5 },
  }),
  operation({
    id: "finance.companies.facts",
    method: "GET",
    path: "/finance/companies/{company}/facts",
    summary: "The latest figure of each concept in a company's financial statements",
    sources,
    input: z.strictObject({
      company,
      taxonomy: z.enum(taxonomies).optional().describe("Only this vocabulary"),
    }),
    data: financeFacts,
    records: { kind: "one", isNone: ({ facts }) => facts.length === 0 },
    example: { company: "SMPL" },
  }),
  operation({
    id: "finance.companies.concept",
    method: "GET",
    path: "/finance/companies/{company}/concepts/{concept}",
    summary: "All figures of one concept in a company's financial statements",
    description:
      "Figures of a quarter, of a year and since the year's beginning stand side by side, and again in later filings; `frame` marks one figure for each span of the calendar.",
    sources,
    input: z.strictObject({ company, concept, taxonomy }),
    data: financeConcept,
    records: { kind: "one" },
    example: { company: "SMPL", concept: "NetIncomeLoss" },
  }),
  operation({
    id: "finance.concepts.companies",
    method: "GET",
    path: "/finance/concepts/{concept}/companies",
    summary: "The figure of one concept for all companies in a period",
    sources,
    input: z.strictObject({
      concept,
      taxonomy,
      unit: z
        .string()
        .regex(/^[A-Za-z][A-Za-z-]{0,29}$/, { message: "must be a unit such as USD or shares" })
        .default("USD")
        .describe("Unit of the figures: USD, shares, pure, …"),
      period: z
        .string()
        .regex(/^CY[0-9]{4}(Q[1-4]I?)?$/, {
          message: "must be CY2024 (a year), CY2024Q1 (a quarter) or CY2024Q1I (its last day)",
        })
        .describe("CY2024 (a year), CY2024Q1 (a quarter) or CY2024Q1I (its last day)"),
      ...page({ most: 500, default: 50 }),
    }),
    data: z.array(financeCompanyValue),
    paginated: true,
    records: perPage,
    example: { concept: "NetIncomeLoss", period: "CY2025Q1", limit: 5 },
  }),
] as const;
