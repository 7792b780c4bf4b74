import * as z from "zod";
import { day, page, perPage, text } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { governmentDocument, governmentDocumentFound } from "./document-records.ts";
import { documentNumber } from "./input.ts";
import { federalRegister } from "./sources.ts";

const sources = [federalRegister];
const earliest = "1994-01-01";

export const documents = [
  operation({
    id: "government.documents.search",
    method: "GET",
    path: "/government/documents/search",
    summary: "Rules, proposed rules, notices and presidential documents of the Federal Register",
    description: "The source shows the first 5,000 documents of a search.",
    sources,
    input: z.strictObject({
      q: text(1, 500, "Words to look for").optional(),
      document_type: z
        .enum(["rule", "proposed_rule", "notice", "presidential_document"])
        .optional()
        .describe("Only documents of this kind"),
      agency: z
        .string()
        .trim()
        .toLowerCase()
        .regex(/^[a-z0-9]{1,40}(-[a-z0-9]{1,40}){0,20}$/, {
          message: "must be words with dashes between them, such as food-and-drug-administration",
        })
        .optional()
        .describe("Only documents of this agency: its name with dashes between the words"),
      from_date: day("First day of publication", earliest).optional(),
      to_date: day("Last day of publication", earliest).optional(),
      sort: z
        .enum(["relevance", "newest", "oldest"])
        .default("relevance")
        .describe("Order of the documents"),
      ...page({ most: 500, default: 20 }),
    }),
    data: z.array(governmentDocumentFound),
    paginated: true,
    records: perPage,
    example: { q: "harbour", limit: 5 },
  }),
  operation({
    id: "government.documents.get",
    method: "GET",
    path: "/government/documents/{document_number}",
    summary: "A document of the Federal Register",
    sources,
    input: z.strictObject({ document_number: documentNumber }),
    data: governmentDocument,
    records: { kind: "one" },
    example: { document_number: "2026-04567" },
  }),
] as const;
