import * as z from "zod";
import { pageFields } from "../../page-input.ts";

const { url } = pageFields;
const moment = (what: string) =>
  z.string().optional().describe(`${what}, ISO 8601: in UTC where the feed has another form`);

export const robotsInput = z.strictObject({
  url: url.describe("Absolute http or https URL that is to be fetched"),
  agent: z
    .string()
    .max(100, { abort: true })
    .regex(/^[A-Za-z][A-Za-z_.-]*(\/[\w.-]+)?$/, "must be a product token, such as `examplebot`")
    .default("public-data-gateway")
    .describe("Product token of the agent; a version after a slash does not count")
    .meta({ examples: ["examplebot"] }),
});

/** The decision of a site's robots.txt, by RFC 9309. */
export const robotsData = z.object({
  url: z.string().describe("The URL in question"),
  agent: z.string().describe("The agent in question"),
  robots_url: z.string().describe("Address of the site's robots.txt, after redirects"),
  status: z.int().describe("HTTP status of robots.txt"),
  is_allowed: z.boolean().describe("Whether the agent may fetch the URL"),
  reason: z
    .enum(["allowed_by_rule", "disallowed_by_rule", "no_rule", "no_file", "unreachable"])
    .describe(
      "Why: a rule decides, no rule matches, there is no file (a status of 400 to 499, which allows all), or it could not be read (429, 500 to 599, which allows nothing)",
    ),
  rule: z
    .object({
      line: z.int().min(1).describe("Number of the line, from 1"),
      text: z.string().describe("The line"),
    })
    .optional()
    .describe("The rule that decides: the longest that matches, allow before disallow"),
  crawl_delay_seconds: z.number().optional().describe("Seconds between requests, where stated"),
  sitemaps: z.array(z.string()).describe("Addresses of sitemaps that the file names"),
});

export const feedInput = z.strictObject({
  url: url.describe("Absolute http or https URL of the feed"),
  limit: z.int().min(1).max(1000).default(100).describe("Most items, in the order of the feed"),
});

const feedItem = z.object({
  id: z.string().optional().describe("Identifier of the item in its feed"),
  url: z.string().optional(),
  title: z.string().optional(),
  summary: z.string().optional().describe("Description or summary, as stated"),
  content_html: z.string().optional().describe("Whole content as HTML, as stated"),
  content_text: z.string().optional().describe("Whole content as plain text, as stated"),
  authors: z.array(z.string()).optional().describe("Names of the authors"),
  published_at: moment("Publication"),
  modified_at: moment("Last change"),
  categories: z.array(z.string()).optional().describe("Categories and tags"),
  image_url: z.string().optional(),
  media: z
    .array(
      z.object({
        url: z.string(),
        type: z.string().optional().describe("Media type, as stated"),
        size_bytes: z.int().min(0).optional().describe("Size in bytes, as stated"),
        duration_seconds: z.int().min(0).optional().describe("Length in seconds, as stated"),
      }),
    )
    .optional()
    .describe("Files of the item, such as the sound of a podcast"),
  episode: z.int().optional().describe("Number of the episode"),
  season: z.int().optional().describe("Number of the season"),
  is_explicit: z.boolean().optional().describe("Whether it is marked as explicit"),
});

export const feedData = z.object({
  url: z.string().describe("Address of the feed, after redirects"),
  format: z.enum(["rss", "rdf", "atom", "json_feed"]).describe("Format of the feed"),
  title: z.string().optional(),
  description: z.string().optional(),
  site_url: z.string().optional().describe("Address of the feed's site"),
  language: z.string().optional(),
  image_url: z.string().optional(),
  authors: z.array(z.string()).optional().describe("Names of the authors"),
  modified_at: moment("Last change"),
  categories: z.array(z.string()).optional().describe("Categories and tags"),
  is_explicit: z.boolean().optional().describe("Whether the podcast is marked as explicit"),
  items: z.array(feedItem).describe("Items, in the order of the feed"),
});

export const mapInput = z.strictObject({
  url: url.describe(
    "Absolute http or https URL of the site; one of a sitemap or feed is read as well",
  ),
  search: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe("Only addresses that contain this text, whatever its case")
    .meta({ examples: ["/blog/"] }),
  include_subdomains: z
    .boolean()
    .default(true)
    .describe("Addresses of the same registrable domain, instead of the same host only"),
  limit: z.int().min(1).max(50_000).default(5000).describe("Most addresses"),
});

export const mapData = z.object({
  url: z.string().describe("The URL of the request"),
  addresses: z
    .array(
      z.object({
        url: z.string(),
        modified_at: z
          .string()
          .optional()
          .describe("Last change as the site states it, ISO 8601; absent in another form"),
      }),
    )
    .describe("Addresses of pages, each once"),
  sources: z
    .array(
      z.object({
        url: z.string().describe("Address of the file, after redirects"),
        kind: z
          .enum(["sitemap", "index", "feed", "page", "unread"])
          .describe("Kind of file; `unread` where it could not be read"),
        count: z.int().min(0).describe("Addresses that it names"),
        problem: z.string().optional().describe("Why it could not be read, or not to its end"),
      }),
    )
    .describe("Files that were read, and the usual place of a sitemap that was tried"),
  is_cut: z
    .literal(true)
    .optional()
    .describe(
      "Present where the site has more: the limit, 100 files, 10 MB of addresses or 50 s were reached",
    ),
});
