import * as z from "zod";

const stated = z.array(
  z.object({
    property: z.string().describe("Name of the property, as the page writes it"),
    content: z.string().describe("Its content"),
  }),
);

/** Statements of a document about itself, in its head. */
export const pageMetadata = z.object({
  title: z.string().optional().describe("Title of the document, if it has one"),
  description: z.string().optional().describe("Description by the document itself, if it has one"),
  language: z.string().optional().describe("Language as the document states it"),
  canonical_url: z.string().optional().describe("Canonical address as the document states it"),
  status: z.int().optional().describe("HTTP status of the last main document"),
  content_type: z.string().describe("Media type of the last main document"),
  site_name: z.string().optional().describe("Name of the site, by `og:site_name`"),
  author: z.string().optional().describe("Author, by `meta name=author`"),
  published_at: z
    .string()
    .optional()
    .describe("Day or time of publication, ISO 8601 as stated; absent where it is in another form"),
  modified_at: z
    .string()
    .optional()
    .describe(
      "Day or time of the last change, ISO 8601 as stated; absent where it is in another form",
    ),
  robots: z.string().optional().describe("Directives of `meta name=robots`"),
  generator: z.string().optional().describe("Program that made the page, as it states"),
  theme_color: z.string().optional().describe("Colour of the browser's frame, as a CSS colour"),
  keywords: z.array(z.string()).optional().describe("Keywords, by `meta name=keywords`"),
  image_url: z
    .string()
    .optional()
    .describe("Picture of the page, by `og:image` or `twitter:image`"),
  manifest_url: z.string().optional().describe("Address of the web app manifest"),
  icons: z
    .array(
      z.object({
        url: z.string(),
        rel: z.string().describe("Relation of the link, such as `icon` or `apple-touch-icon`"),
        type: z.string().optional().describe("Media type, as stated"),
        sizes: z.string().optional().describe("Sizes, as stated, such as `32x32`"),
      }),
    )
    .describe("Icons of the page, in document order"),
  feeds: z
    .array(
      z.object({
        url: z.string(),
        type: z.string().describe("Media type, as stated"),
        title: z.string().optional(),
      }),
    )
    .describe("Feeds that the page names: RSS, Atom and JSON Feed"),
  alternates: z
    .array(
      z.object({ url: z.string(), language: z.string().describe("Language tag, or `x-default`") }),
    )
    .describe("The page in other languages"),
  oembed: z
    .array(
      z.object({
        url: z.string(),
        format: z.enum(["json", "xml"]),
        title: z.string().optional(),
      }),
    )
    .describe("Addresses of the page's oEmbed description"),
  open_graph: stated.describe(
    "OpenGraph properties in document order, `article:` and its like included",
  ),
  twitter: stated.describe("Twitter card properties in document order"),
});
