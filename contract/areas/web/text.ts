import * as z from "zod";
import { pageFields } from "../../page-input.ts";

const { url } = pageFields;
const forms = ["markdown", "text"] as const;

export const textInput = z.strictObject({
  url: url.describe("Absolute http or https URL of the document"),
  formats: z
    .array(z.enum(forms))
    .min(1)
    .max(forms.length)
    .refine((names) => new Set(names).size === names.length, {
      message: "must name each format once",
    })
    .default(["markdown"])
    .describe("Forms in which the text is returned"),
  first: z
    .int()
    .min(1)
    .max(100_000)
    .default(1)
    .describe("Number of the first page, sheet, slide or chapter to read"),
  limit: z.int().min(1).max(5000).default(1000).describe("Most pages, sheets, slides or chapters"),
});

/** The text of a document. */
export const textData = z.object({
  url: z.string().describe("Address of the document, after redirects"),
  format: z
    .enum(["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"])
    .describe("Format of the document, by its content"),
  title: z.string().optional().describe("Title, as the document states it"),
  authors: z.array(z.string()).optional().describe("Authors, as the document states them"),
  language: z.string().optional().describe("Language, as the document states it"),
  created_at: z.string().optional().describe("Creation as stated, ISO 8601"),
  modified_at: z.string().optional().describe("Last change as stated, ISO 8601"),
  size_bytes: z.int().min(0).describe("Size of the file in bytes"),
  unit: z
    .enum(["page", "sheet", "slide", "chapter", "document"])
    .describe(
      "What a part is: the page of a PDF, a sheet, a slide, the chapter of a book; `document` for docx and odt, whose files have no pages",
    ),
  parts_count: z.int().min(0).describe("Parts of the whole document"),
  parts: z
    .array(
      z.object({
        number: z.int().min(1).describe("Number of the part, from 1"),
        title: z
          .string()
          .optional()
          .describe("Name of the sheet, or title of the slide or chapter"),
        markdown: z
          .string()
          .optional()
          .describe("Text with headings, lists and tables as GitHub-flavoured Markdown"),
        text: z.string().optional().describe("Plain text; cells of tables are divided by tabs"),
      }),
    )
    .describe("Parts in their order; one without text, such as a scanned page, is empty"),
  is_without_text: z
    .literal(true)
    .optional()
    .describe("Present where no part has text, as in a scan; it costs nothing"),
  is_cut: z
    .literal(true)
    .optional()
    .describe("Present where the document has more: `limit`, 10 million characters, or 20 s"),
});
