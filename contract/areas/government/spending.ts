import * as z from "zod";
import { day, page, perPage, text } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { agencyCode, awardId, fiscalYear, phrase, recipientId } from "./input.ts";
import { usaSpending } from "./sources.ts";
import {
  governmentAgencies,
  governmentAgency,
  governmentAgencySpending,
  governmentAward,
  governmentAwardFound,
  governmentRecipient,
  governmentRecipientFound,
  governmentSubAgency,
} from "./spending-records.ts";

const sources = [usaSpending];
const earliest = "2007-10-01";

export const spending = [
  operation({
    id: "government.awards.search",
    method: "GET",
    path: "/government/awards/search",
    summary: "Contracts, grants, loans and payments of the United States' government",
    description: "A search covers one kind of award. Without days it covers all years since 2007.",
    sources,
    input: z.strictObject({
      award_type: z
        .enum(["contracts", "idvs", "grants", "loans", "direct_payments", "other"])
        .default("contracts")
        .describe(
          "Kind of award; idvs are contracts that only set the terms of later orders (indefinite delivery vehicles)",
        ),
      q: z.string().trim().min(3).max(200).optional().describe("Words anywhere in the award"),
      recipient: z
        .string()
        .trim()
        .min(3)
        .max(200)
        .optional()
        .describe("Name or Unique Entity Identifier of the recipient"),
      agency: phrase("Full name of the department or agency that awards it"),
      from_date: day("First day of the activity", earliest).optional(),
      to_date: day("Last day of the activity", earliest).optional(),
      min_amount: z.number().min(0).max(1e13).optional().describe("Least US dollars"),
      max_amount: z.number().min(0).max(1e13).optional().describe("Most US dollars"),
      sort: z
        .enum(["largest", "smallest", "latest_start", "earliest_start"])
        .default("largest")
        .describe("Order by amount or by first day"),
      ...page({ most: 500, default: 20 }),
    }),
    data: z.array(governmentAwardFound),
    paginated: true,
    records: perPage,
    example: { award_type: "contracts", q: "harbour", limit: 5 },
  }),
  operation({
    id: "government.awards.get",
    method: "GET",
    path: "/government/awards/{award_id}",
    summary: "An award with its amounts, agencies, recipient and terms",
    sources,
    input: z.strictObject({ award_id: awardId }),
    data: governmentAward,
    records: { kind: "one" },
    example: { award_id: "CONT_AWD_SAMPLE1_9700_SAMPLEIDV1_9700" },
  }),
  operation({
    id: "government.recipients.search",
    method: "GET",
    path: "/government/recipients/search",
    summary: "Recipients of awards, by name or Unique Entity Identifier",
    description:
      "The recipients of the largest amounts come first. A company occurs once as a parent and once as its own child.",
    sources,
    input: z.strictObject({
      q: text(2, 200, "Words of the name, or a Unique Entity Identifier"),
      award_type: z
        .enum(["all", "contracts", "grants", "loans", "direct_payments", "other"])
        .default("all")
        .describe("Only recipients of such awards"),
      ...page({ most: 1000, default: 20 }),
    }),
    data: z.array(governmentRecipientFound),
    paginated: true,
    records: perPage,
    example: { q: "harbour", limit: 5 },
  }),
  operation({
    id: "government.recipients.get",
    method: "GET",
    path: "/government/recipients/{recipient_id}",
    summary: "A recipient of awards, and what it received",
    sources,
    input: z.strictObject({
      recipient_id: recipientId,
      fiscal_year: z
        .union([z.int().min(2008).max(2099), z.enum(["latest", "all"])])
        .default("latest")
        .describe("Budget year of the amounts, the latest twelve months, or all years"),
    }),
    data: governmentRecipient,
    records: { kind: "one" },
    example: { recipient_id: "5e8f0a1c-05bc-6426-ddc6-5e0ce1664716-P" },
  }),
  operation({
    id: "government.agencies.list",
    method: "GET",
    path: "/government/agencies",
    summary: "Departments and agencies with their budgets, in one record",
    sources,
    input: z.strictObject({}),
    data: governmentAgencies,
    records: { kind: "one", isNone: (data) => data.agencies.length === 0 },
    example: {},
  }),
  operation({
    id: "government.agencies.get",
    method: "GET",
    path: "/government/agencies/{agency_code}",
    summary: "A department or agency",
    sources,
    input: z.strictObject({ agency_code: agencyCode, fiscal_year: fiscalYear }),
    data: governmentAgency,
    records: { kind: "one" },
    example: { agency_code: "097" },
  }),
  operation({
    id: "government.agencies.spending",
    method: "GET",
    path: "/government/agencies/{agency_code}/spending",
    summary: "Budget, obligations and payments of an agency by year",
    sources,
    input: z.strictObject({ agency_code: agencyCode }),
    data: governmentAgencySpending,
    records: { kind: "one", isNone: ({ series }) => series.length === 0 },
    example: { agency_code: "097" },
  }),
  operation({
    id: "government.agencies.sub_agencies",
    method: "GET",
    path: "/government/agencies/{agency_code}/sub-agencies",
    summary: "Parts of an agency and their offices, with what they obligated in a year",
    sources,
    input: z.strictObject({
      agency_code: agencyCode,
      fiscal_year: fiscalYear,
      ...page({ most: 100, default: 20 }),
    }),
    data: z.array(governmentSubAgency),
    paginated: true,
    records: perPage,
    example: { agency_code: "097", limit: 5 },
  }),
] as const;
