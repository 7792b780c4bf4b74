import * as z from "zod";
import { batchData, batchId, batchLine } from "./batches.ts";
import { endpoint } from "./endpoint.ts";
import { extractFields } from "./extract-input.ts";
import { pageFields } from "./page-input.ts";

/** Contract of `/web/crawl`: a site, page by page. A crawl is a batch that finds its items itself. */

export const crawlFormats = [
  "html",
  "markdown",
  "main_content",
  "links",
  "metadata",
  "extract",
] as const;

/** Most requests at once of all crawls of a site; Scrapy has the same default for a domain. */
const defaultAtOnce = 8;

const pattern = z
  .string()
  .min(1)
  .max(200)
  .regex(
    /^(?:\/|\*|https?:\/\/)[^\s#]*$/,
    "must begin with /, * or http(s)://, without spaces and #",
  );

const url = pageFields.url.describe("Absolute http or https URL at which the crawl begins");
const limit = z.int().min(1).max(50_000);
const mostCredits = z
  .int()
  .min(1)
  .max(Number.MAX_SAFE_INTEGER)
  .optional()
  .describe("The most that all pages together may cost; the crawl ends there and can be resumed");

export const crawlInput = z
  .strictObject({
    url,
    limit: limit.default(100).describe("Most pages"),
    max_depth: z
      .int()
      .min(0)
      .max(1000)
      .default(20)
      .describe("Most links between the start and a page; pages of a sitemap count as its start"),
    source: z
      .enum(["all", "sitemap", "links"])
      .default("all")
      .describe("Where addresses come from: the site's sitemaps, the links of its pages, or both"),
    scope: z
      .enum(["host", "subdomains"])
      .default("host")
      .describe(
        "Pages of the same host, `www.` or not, or of every host of the same registrable domain",
      ),
    include: z
      .array(pattern)
      .max(50)
      .default([])
      .describe(
        "Only addresses that match one of these: path and query, or the whole address; `*` stands for any characters but `/`, `**` for any",
      )
      .meta({ examples: [["/blog/**"]] }),
    exclude: z
      .array(pattern)
      .max(50)
      .default([])
      .describe("No address that matches one of these, in the same form")
      .meta({ examples: [["/**/print", "/*?*sort=*"]] }),
    modified_since: z.iso
      .datetime({ offset: true })
      .or(z.iso.date())
      .optional()
      .describe(
        "Leaves out pages whose last change is earlier, by the sitemap or the page's Last-Modified; pages without a date count",
      )
      .meta({ examples: ["2026-07-01"] }),
    formats: z
      .array(z.enum(crawlFormats))
      .min(1)
      .max(crawlFormats.length)
      .refine((names) => new Set(names).size === names.length, {
        message: "must name each format once",
      })
      .default(["markdown"])
      .describe(
        "Forms of each page; a PDF or office document has markdown, main_content and metadata",
      ),
    main_content_only: z
      .boolean()
      .default(false)
      .describe("The format markdown has only the article or other main content"),
    render: z
      .boolean()
      .default(false)
      .describe("Render each page in a browser, instead of reading the HTML that the server sends"),
    selectors: extractFields.selectors,
    accept_language: pageFields.accept_language,
    respect_robots: z
      .boolean()
      .default(true)
      .describe(
        "Obey robots.txt, its Crawl-delay and nofollow; false only where the operator lets the account",
      ),
    skip_duplicates: z
      .boolean()
      .default(true)
      .describe(
        "One page for all addresses that state the same canonical address or have the same content",
      ),
    max_concurrency: z
      .int()
      .min(1)
      .max(64)
      .default(defaultAtOnce)
      .describe("Most requests at once; all crawls of a site share them"),
    max_credits: mostCredits,
    webhook_url: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe("URL that is called when the crawl has ended; in place of Svc-Webhook-Url"),
  })
  .superRefine((input, context) => {
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (input.selectors.length > 0 && !input.formats.includes("extract")) {
      refuse("selectors", "is valid only with the format extract");
    }
    if (input.main_content_only && !input.formats.includes("markdown")) {
      refuse("main_content_only", "is valid only with the format markdown");
    }
  });

export type CrawlInput = z.output<typeof crawlInput>;

const count = z.int().min(0);

export const crawlData = batchData
  .extend({
    url: z.string().describe("Address at which the crawl began"),
    limit: z.int().describe("Most pages"),
    pages: z.object({
      found: count.describe("Addresses of pages that were found"),
      delivered: count.describe("Pages with a line in the results"),
      waiting: count.describe("Addresses that were not crawled yet"),
      duplicates: count.describe("Pages that were delivered under another address; they are free"),
      skipped: count.describe(
        "Addresses that gave no page to deliver: another site's, closed by robots.txt, no HTML and no document, unchanged; they are free",
      ),
    }),
    crawl_delay_seconds: z
      .number()
      .optional()
      .describe("Pause between pages that robots.txt states"),
    stopped_by: z
      .enum(["limit", "balance", "max_credits"])
      .nullable()
      .describe("Why an ended crawl has waiting addresses, with which `resume` continues"),
  })
  .meta({ id: "Crawl" });

export type CrawlData = z.output<typeof crawlData>;

const oneCrawl = z.strictObject({ id: batchId });
const after = z
  .int()
  .min(0)
  .default(0)
  .describe("`sequence` of the last line that was read; the answer starts behind it");

export const crawlPagesInput = oneCrawl.extend({
  after,
  limit: z.int().min(1).max(100).default(10).describe("Most lines"),
  wait: z
    .int()
    .min(0)
    .max(60)
    .default(0)
    .describe("Seconds to wait for the next line, or for the end of the crawl"),
});

const crawlResumeInput = oneCrawl.extend({
  limit: limit.optional().describe("Most pages from now on, those before included"),
  max_credits: mostCredits.describe("The most that all pages together may cost from now on"),
});

const crawlPage = batchLine
  .extend({ custom_id: z.string().describe("Address of the page, as it was found") })
  .meta({ id: "CrawlLine" });

export const crawlsEndpoints = [
  endpoint({
    id: "web.crawl",
    method: "POST",
    path: "/web/crawl",
    summary: "Crawls a site: its pages as Markdown, one by one",
    description:
      "Crawls a whole website in the background. One page is one record, and errors, duplicates and skipped addresses are free. A balance that does not cover the limit ends the crawl early; `resume` continues it. Its answer has the id by which `web.crawl.pages` reads the pages. A crawl is a batch: everything below `/batches/{id}` works with its id.",
    input: crawlInput,
    headers: [
      "Idempotency-Key",
      "Svc-Webhook-Url",
      "Svc-Version",
      "Svc-Test-Scenario",
      "Svc-Dry-Run",
    ],
    data: crawlData,
    status: 202,
    success: "Accepted",
    answerHeaders: { Location: "Path of the crawl" },
  }),
  endpoint({
    id: "web.crawl.get",
    method: "GET",
    path: "/web/crawl/{id}",
    summary: "How far a crawl is",
    input: oneCrawl,
    data: crawlData,
  }),
  endpoint({
    id: "web.crawl.pages",
    method: "GET",
    path: "/web/crawl/{id}/pages",
    summary: "The next pages of a crawl, in order of completion",
    description:
      "A list for callers that read no stream; an empty one after the wait says that no page has come yet, or, once the crawl has ended, that there is none left. Free, for 24 hours after the end.",
    input: crawlPagesInput,
    data: z.object({
      state: batchData.shape.state,
      results: z.array(crawlPage),
      next_after: z.int().describe("`after` of the next request"),
      has_more: z.boolean().describe("False once the crawl has ended and every line was read"),
    }),
  }),
  endpoint({
    id: "web.crawl.results",
    method: "GET",
    path: "/web/crawl/{id}/results",
    summary: "The pages in order of completion, a line each",
    description: "Kept for 24 hours after the end of the crawl.",
    input: oneCrawl.extend({
      after,
      follow: z
        .boolean()
        .default(false)
        .describe(
          "Keep the answer open until the crawl has ended; an empty line is sent every five seconds",
        ),
    }),
    data: crawlPage,
    bare: "application/x-ndjson",
  }),
  endpoint({
    id: "web.crawl.resume",
    method: "POST",
    path: "/web/crawl/{id}/resume",
    summary: "Continues a crawl that its limit, its credits or the balance ended",
    description:
      "Also gives a running crawl another limit. A repeated request with the same Idempotency-Key changes nothing.",
    input: crawlResumeInput,
    headers: ["Idempotency-Key"],
    data: crawlData,
    status: 202,
    success: "Accepted",
    answerHeaders: { Location: "Path of the crawl" },
  }),
  endpoint({
    id: "web.crawl.cancel",
    method: "DELETE",
    path: "/web/crawl/{id}",
    summary: "Cancels a crawl",
    description: "Nothing new starts and nothing more is charged; the pages that came stay.",
    input: oneCrawl,
    data: crawlData,
  }),
] as const;
