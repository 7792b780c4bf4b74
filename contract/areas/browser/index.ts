import * as z from "zod";
import { area, operation } from "../../operation.ts";
import {
  includeMetadata,
  metadata,
  pageDeadlineMs as deadlineMs,
  pageFields,
  renderedUrl,
  screenFields,
  tooManyPixels,
} from "../../page-input.ts";

const records = { kind: "one" } as const;
const example = { url: "https://example.com/" };

export const browser = area({
  name: "browser",
  summary: "Renders any URL with JavaScript executed",
  pool: "browser",
  operations: [
    operation({
      id: "browser.html",
      method: "POST",
      path: "/browser/html",
      summary: "Rendered HTML of a page",
      input: z.strictObject({ ...pageFields, include_metadata: includeMetadata }),
      data: z.object({
        url: renderedUrl,
        html: z
          .string()
          .describe("Fully rendered HTML, after JavaScript execution; XML and JSON as they came"),
        metadata,
      }),
      records,
      deadlineMs,
      example,
    }),
    operation({
      id: "browser.links",
      method: "POST",
      path: "/browser/links",
      summary: "Links found on a page",
      input: z.strictObject({
        ...pageFields,
        visible_links_only: z
          .boolean()
          .default(false)
          .describe("Only links visible in the rendered viewport"),
        exclude_external_links: z
          .boolean()
          .default(false)
          .describe("Drop links whose registrable domain differs from the page's"),
      }),
      data: z.object({
        url: renderedUrl,
        links: z
          .array(z.string())
          .describe("Absolute http and https URLs in document order, without duplicates"),
      }),
      records,
      deadlineMs,
      example,
    }),
    operation({
      id: "browser.markdown",
      method: "POST",
      path: "/browser/markdown",
      summary: "Content of a page as Markdown",
      description:
        "The visible body of the rendered page as Markdown. Where the address has a PDF, docx, xlsx, pptx, odt, ods, odp or epub of up to 50 MB instead of a page, its text as `/web/text` reads it.",
      input: z.strictObject({
        ...pageFields,
        main_content_only: z
          .boolean()
          .default(false)
          .describe(
            "Only the article or other main content, without navigation and what surrounds it; the whole page where none is found",
          )
          .meta({ examples: [true] }),
        include_metadata: includeMetadata,
      }),
      data: z.object({
        url: renderedUrl,
        markdown: z
          .string()
          .describe(
            "The page body as GitHub-flavoured Markdown; empty when the page shows nothing",
          ),
        metadata,
      }),
      records: { kind: "one", isNone: ({ markdown }) => markdown === "" },
      deadlineMs,
      example,
    }),
    operation({
      id: "browser.screenshot",
      method: "POST",
      path: "/browser/screenshot",
      summary: "Screenshot of a page",
      input: z
        .strictObject({
          ...pageFields,
          ...screenFields,
          full_page: z
            .boolean()
            .default(false)
            .describe("Capture the full scrollable page instead of the viewport"),
          format: z.enum(["png", "jpeg", "webp"]).default("png"),
          quality: z
            .int()
            .min(0)
            .max(100)
            .optional()
            .describe("For jpeg and webp only; 80 when absent"),
          selector: z
            .string()
            .min(1)
            .max(1000)
            .optional()
            .describe(
              "Capture only the first element matching this CSS selector; wins over full_page",
            ),
          omit_background: z
            .boolean()
            .default(false)
            .describe("Transparent background; ignored for jpeg"),
        })
        .superRefine((input, context) => {
          if (input.quality !== undefined && input.format === "png") {
            context.addIssue({
              code: "custom",
              path: ["quality"],
              message: "is valid only for the formats jpeg and webp",
            });
          }
          if (tooManyPixels(input)) {
            context.addIssue({
              code: "custom",
              path: ["device_scale_factor"],
              message: "is too large for this viewport: a picture has at most 120 million pixels",
            });
          }
        }),
      data: z.object({
        url: renderedUrl,
        format: z.enum(["png", "jpeg", "webp"]),
        image_base64: z.string().describe("Image bytes in base64"),
        size_bytes: z.int().min(0).describe("Decoded size of the image in bytes"),
      }),
      records,
      deadlineMs,
      example,
    }),
  ],
});
