import * as z from "zod";
import { page, perPage, text } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { isin, lei, parentage } from "./input.ts";
import { financeEntity, financeSecurity } from "./records.ts";
import { gleif } from "./sources.ts";

const sources = [gleif];

export const entities = [
  operation({
    id: "finance.entities.get",
    method: "GET",
    path: "/finance/entities/{lei}",
    summary: "A company or fund by its Legal Entity Identifier",
    sources,
    input: z.strictObject({ lei }),
    data: financeEntity,
    records: { kind: "one" },
    example: { lei: "5299SAMPLE0000000001" },
  }),
  operation({
    id: "finance.entities.search",
    method: "GET",
    path: "/finance/entities/search",
    summary: "Companies and funds by words of their legal name, or of all their data",
    sources,
    input: z.strictObject({
      q: text(2, 200, "Words to look for"),
      search_in: z
        .enum(["name", "everything"])
        .default("name")
        .describe("Where the words stand: in the legal name, or anywhere in the data"),
      country: z
        .string()
        .regex(/^[A-Za-z]{2}$/, { message: "must be a country's code of two letters" })
        .toUpperCase()
        .optional()
        .describe("Country of the legal address, ISO 3166-1 code of two letters"),
      ...page({ most: 200, default: 20 }),
    }),
    data: z.array(financeEntity),
    paginated: true,
    records: perPage,
    example: { q: "harbour", limit: 5 },
  }),
  operation({
    id: "finance.entities.parent",
    method: "GET",
    path: "/finance/entities/{lei}/parent",
    summary: "The company that consolidates another in its accounts",
    description: "A company without a parent that has an identifier is `not_found`.",
    sources,
    input: z.strictObject({ lei, parentage }),
    data: financeEntity,
    records: { kind: "one" },
    example: { lei: "5299SAMPLE0000000001" },
  }),
  operation({
    id: "finance.entities.children",
    method: "GET",
    path: "/finance/entities/{lei}/children",
    summary: "Companies that a company consolidates in its accounts",
    sources,
    input: z.strictObject({ lei, parentage, ...page({ most: 200, default: 20 }) }),
    data: z.array(financeEntity),
    paginated: true,
    records: perPage,
    example: { lei: "5299SAMPLE0000000001", limit: 5 },
  }),
  operation({
    id: "finance.entities.securities",
    method: "GET",
    path: "/finance/entities/{lei}/securities",
    summary: "Securities of a company or fund, as ISINs",
    sources,
    input: z.strictObject({ lei, ...page({ most: 200, default: 50 }) }),
    data: z.array(financeSecurity),
    paginated: true,
    records: perPage,
    example: { lei: "5299SAMPLE0000000001", limit: 5 },
  }),
  operation({
    id: "finance.securities.issuer",
    method: "GET",
    path: "/finance/securities/{isin}/issuer",
    summary: "The company or fund that issued a security, by its ISIN",
    sources,
    input: z.strictObject({ isin }),
    data: financeEntity,
    records: { kind: "one" },
    example: { isin: "DE000SAMPLE1" },
  }),
] as const;
