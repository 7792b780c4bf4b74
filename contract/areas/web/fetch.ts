import * as z from "zod";
import { extractFields } from "../../extract-input.ts";
import { pageFields } from "../../page-input.ts";
import { extracted } from "./extract.ts";
import { pageMetadata } from "./metadata.ts";

/** Forms of a page that need no browser. */
export const plainFormats = [
  "html",
  "markdown",
  "main_content",
  "links",
  "metadata",
  "extract",
] as const;

export const fetchInput = z
  .strictObject({
    url: pageFields.url,
    accept_language: pageFields.accept_language,
    ...extractFields,
    formats: z
      .array(z.enum(plainFormats))
      .min(1)
      .max(plainFormats.length)
      .refine((names) => new Set(names).size === names.length, {
        message: "must name each format once",
      })
      .default(["markdown"])
      .describe("Forms in which the page is returned"),
  })
  .superRefine((input, context) => {
    if (input.selectors.length === 0 || input.formats.includes("extract")) return;
    const message = "is valid only with the format extract";
    context.addIssue({ code: "custom", path: ["selectors"], message });
  });

/** The page in the requested forms, as the server sends it. */
export const fetchData = z.object({
  url: z.string().describe("Address of the page, after redirects"),
  html: z.string().optional().describe("HTML as the server sends it, before any script runs"),
  markdown: z
    .string()
    .optional()
    .describe("The page body as GitHub-flavoured Markdown; empty where it has no text"),
  main_content: z
    .string()
    .optional()
    .describe("The article or other main content as Markdown; the whole page where none is found"),
  links: z
    .array(z.string())
    .optional()
    .describe("Absolute http and https URLs in document order, without duplicates"),
  metadata: pageMetadata.optional().describe("What the document states about itself"),
  extract: extracted
    .optional()
    .describe("What `/web/extract` returns, as far as the HTML that the server sends has it"),
});
