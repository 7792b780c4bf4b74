import * as z from "zod";
import { operation } from "../../operation.ts";
import {
  perElement,
  query,
  serpAnswer,
  serpListElement,
  serpView,
  visibilityFields,
  pixelRanking,
  resultPage,
} from "../../serp.ts";
import { language, location, osRule } from "../../search.ts";
import { asciiDomain, isPage } from "../../target.ts";

const mostDepth = 200;

const target = z
  .string()
  .trim()
  .min(1)
  .max(2048)
  .refine((text) => isTarget(text), { message: "must be a domain, a URL or a pattern with `*`" })
  .optional()
  .describe(
    "Domain or URL whose elements are marked and counted; with `*` (any text), a pattern of addresses without scheme and `www.`",
  );

function isTarget(text: string): boolean {
  if (text.includes("*")) return /^[^\s]+$/.test(text) && /[^*]/.test(text);
  return isPage(text) || asciiDomain(text.replace(/\/$/, "")) !== undefined;
}

const systems = { desktop: ["windows", "macos"], mobile: ["android", "ios"] } as const;

const element = serpListElement
  .extend({
    is_target: z
      .boolean()
      .optional()
      .describe("True when it leads to the target; present where the request has one"),
  })
  .meta({ id: "SeoSerpElement" });

const question = z
  .object({
    question: z.string(),
    rank: z.int().optional().describe("Rank of the block it stands in"),
    source: z.string().optional().describe("Page that answers it"),
  })
  .meta({ id: "SeoSerpQuestion" });

const number = (description: string) => z.int().min(0).describe(description);

const summary = z
  .object({
    organic_results: number("Organic elements in `results`"),
    billable_results: number("Elements in `results` that are billed"),
    rich_results: number("Elements in `results` that are neither organic nor adverts"),
    paid_results: number("Adverts in `results`"),
    feature_counts: z.record(z.string(), z.int().min(1)).describe("Type to number of elements"),
    target_present: z.boolean().optional().describe("Present where the request has a target"),
    target_best_rank: z.int().optional(),
  })
  .meta({ id: "SeoSerpSummary" });
export type SerpSummary = z.output<typeof summary>;

const rankWindow = z
  .object({
    page: z.int(),
    depth: z.int().describe("Organic results looked at"),
    start_rank: z.int().optional().describe("Rank of the first element in `results`"),
    end_rank: z.int().optional().describe("Rank of the last one"),
  })
  .meta({ id: "SeoRankWindow" });

export const serpOperations = [
  operation({
    id: "seo.serp.search",
    method: "POST",
    path: "/seo/serp",
    pool: "serp",
    deadlineMs: () => 120_000,
    summary: "One live look at the organic results of a search",
    description:
      "The elements of the page in order, up to the last requested organic element. Only organic elements are billed.",
    input: z
      .strictObject({
        query,
        location,
        language,
        device: z.enum(["desktop", "mobile"]).default("desktop"),
        os: z
          .enum(["windows", "macos", "android", "ios"])
          .optional()
          .describe("windows or macos on desktop, android or ios on mobile; the first when absent"),
        limit: z.int().min(1).max(mostDepth).default(10).describe("Most organic results"),
        depth: z
          .int()
          .min(1)
          .max(mostDepth)
          .optional()
          .describe(
            "Organic results that are looked through for the target and competitors; page times limit when absent",
          ),
        page: z
          .int()
          .min(1)
          .max(mostDepth)
          .default(1)
          .describe("Pages of `limit` organic results, from 1; page times limit is at most 200"),
        target,
        target_match: z
          .enum(["domain", "with_subdomains", "wildcard"])
          .default("with_subdomains")
          .describe("How an address is compared with the target; a `*` in it means wildcard"),
        target_element_types: z
          .array(z.string().trim().min(1).max(100))
          .min(1)
          .max(50)
          .optional()
          .describe("Types of element in which the target counts; all when absent"),
        target_search_mode: z
          .enum(["any", "all"])
          .default("any")
          .describe("With `stop_at_target`: stop at the first match, or once all are found"),
        stop_at_target: z
          .boolean()
          .default(false)
          .describe("Look no further than the page on which the target is found"),
        include_ai_overview: z
          .boolean()
          .default(false)
          .describe("Wait for a generated answer that the page loads late"),
        people_also_ask_depth: z
          .int()
          .min(1)
          .max(4)
          .optional()
          .describe("Clicks on questions, each of which opens more of them"),
        include_omitted_results: z
          .boolean()
          .default(false)
          .describe("With results that the search engine leaves out as too similar"),
        group_organic_results: z
          .boolean()
          .default(true)
          .describe(
            "Results of one site below its first one; `expand_related_results` is its opposite, and wins",
          ),
        ...resultPage,
        ...pixelRanking,
        view: serpView,
      })
      .refine(
        ({ device, os }) => os === undefined || (systems[device] as readonly string[]).includes(os),
        { path: ["os"], message: osRule },
      )
      .refine(({ page, limit }) => page * limit <= mostDepth, {
        path: ["page"],
        message: "must not lead beyond the 200th organic result",
      })
      .refine((input) => !input.stop_at_target || input.target !== undefined, {
        path: ["stop_at_target"],
        message: "needs a target",
      }),
    data: z.object({
      ...serpAnswer,
      device: z.string(),
      os: z.string(),
      corrected_query: z.string().optional().describe("Query that was searched instead"),
      serp_features: z.array(z.string()).describe("Types of element on the page"),
      pages_count: z.int().min(0).optional().describe("Result pages looked at"),
      page: z.int(),
      rank_window: rankWindow,
      summary,
      questions: z.array(question).describe("Questions that the page says people also ask"),
      ...visibilityFields,
      results: z.array(element),
    }),
    records: perElement,
    example: { query: "running shoes", target: "example.com", limit: 10, view: "full" },
  }),
] as const;
