import * as z from "zod";

const agency = z
  .object({
    name: z.string(),
    agency_slug: z.string().optional(),
    url: z.string().optional(),
  })
  .meta({ id: "GovernmentDocumentAgency" });

const identity = {
  document_number: z.string().describe("The register's number, unique for nearly all documents"),
  document_type: z
    .string()
    .optional()
    .describe("rule, proposed_rule, notice or presidential_document"),
  title: z.string(),
  abstract: z.string().optional(),
  publication_date: z.string().optional(),
  agencies: z.array(agency),
  url: z.string().optional(),
  pdf_url: z.string().optional(),
};

export const governmentDocumentFound = z
  .object({
    ...identity,
    excerpt: z.string().optional().describe("Words around the match, as plain text"),
  })
  .meta({ id: "GovernmentDocumentFound" });

export const governmentDocument = z
  .object({
    ...identity,
    document_subtype: z.string().optional(),
    action: z.string().optional(),
    dates: z.string().optional(),
    citation: z.string().optional().describe("Volume and page, such as 89 FR 16202"),
    volume: z.int().optional().describe("Volume of the register"),
    start_page: z.int().optional(),
    end_page: z.int().optional(),
    effective_date: z.string().optional(),
    comments_close_date: z.string().optional(),
    signing_date: z.string().optional(),
    executive_order_number: z.string().optional(),
    is_significant: z.boolean().optional(),
    cfr_references: z.array(
      z.object({
        cfr_title: z.int(),
        cfr_part: z.string().optional(),
        cfr_chapter: z.string().optional(),
      }),
    ),
    docket_ids: z.array(z.string()),
    regulation_ids: z.array(z.string()),
    topics: z.array(z.string()),
    comment_url: z.string().optional(),
    text_url: z.string().optional(),
    html_url: z.string().optional(),
    xml_url: z.string().optional(),
  })
  .meta({ id: "GovernmentDocument" });

export type GovernmentDocumentFound = z.output<typeof governmentDocumentFound>;
export type GovernmentDocument = z.output<typeof governmentDocument>;
