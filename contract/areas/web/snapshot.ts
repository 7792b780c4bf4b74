import * as z from "zod";
import { extractFields } from "../../extract-input.ts";
import { pageFields, renderedUrl, screenFields, tooManyPixels } from "../../page-input.ts";
import { extracted } from "./extract.ts";
import { pageMetadata } from "./metadata.ts";

const formats = [
  "html",
  "markdown",
  "main_content",
  "links",
  "screenshot",
  "metadata",
  "extract",
] as const;

const imageFormats = ["png", "jpeg", "webp"] as const;

export const snapshotInput = z
  .strictObject({
    ...pageFields,
    ...screenFields,
    ...extractFields,
    formats: z
      .array(z.enum(formats))
      .min(1)
      .max(formats.length)
      .refine((names) => new Set(names).size === names.length, {
        message: "must name each format once",
      })
      .describe("Forms in which the page is returned, all of one render"),
    full_page: z
      .boolean()
      .default(false)
      .describe("For screenshot: the full scrollable page instead of the viewport"),
    image_format: z.enum(imageFormats).default("png").describe("For screenshot"),
    quality: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe("For a screenshot as jpeg or webp only; 80 when absent"),
  })
  .superRefine((input, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (input.quality !== undefined && input.image_format === "png") {
      refuse("quality", "is valid only for the image formats jpeg and webp");
    }
    if (input.selectors.length > 0 && !input.formats.includes("extract")) {
      refuse("selectors", "is valid only with the format extract");
    }
    if (tooManyPixels(input)) {
      refuse(
        "device_scale_factor",
        "is too large for this viewport: a picture has at most 120 million pixels",
      );
    }
  });

/** The page in the requested forms. */
export const snapshotData = z.object({
  url: renderedUrl,
  html: z
    .string()
    .optional()
    .describe("Fully rendered HTML, after JavaScript execution; XML and JSON as they came"),
  markdown: z
    .string()
    .optional()
    .describe("The page body as GitHub-flavoured Markdown; empty where it shows no text"),
  main_content: z
    .string()
    .optional()
    .describe("The article or other main content as Markdown; the whole page where none is found"),
  links: z
    .array(z.string())
    .optional()
    .describe("Absolute http and https URLs in document order, without duplicates"),
  screenshot: z
    .object({
      format: z.enum(imageFormats),
      image_base64: z.string().describe("Image bytes in base64"),
      size_bytes: z.int().min(0).describe("Decoded size of the image in bytes"),
    })
    .optional()
    .describe("Picture of the page"),
  metadata: pageMetadata.optional().describe("The answer of `/web/metadata`"),
  extract: extracted.optional().describe("The answer of `/web/extract`"),
});
