import * as z from "zod";
import { count } from "../../fields.ts";

const figure = (description: string) => count(description).optional();
const money = (description: string) => z.number().optional().describe(`${description}, in USD`);
const time = (description: string) =>
  z.string().optional().describe(`${description}, ISO 8601 UTC`);
const average = (description: string) => z.number().optional().describe(description);

const month = {
  year: z.int(),
  month: z.int().describe("1 to 12"),
};

const metrics = {
  search_volume: figure("Searches a month, on average over a year"),
  cpc: money("Average price of a click on an advert"),
  competition: z.number().optional().describe("Competition among advertisers, 0 to 1"),
  competition_level: z.string().optional().describe("LOW, MEDIUM or HIGH"),
  low_top_of_page_bid: money("Lowest bid for an advert on top of the page"),
  high_top_of_page_bid: money("Highest bid for an advert on top of the page"),
  categories: z.array(z.int()).optional().describe("Codes of product and service categories"),
  monthly_searches: z
    .array(
      z
        .object({ ...month, search_volume: figure("Searches in that month") })
        .meta({ id: "SeoMonthlySearches" }),
    )
    .optional()
    .describe("Newest first"),
  search_volume_trend: z
    .object({
      monthly: z.int().optional().describe("Against the month before, in percent"),
      quarterly: z.int().optional().describe("Against the quarter before, in percent"),
      yearly: z.int().optional().describe("Against the year before, in percent"),
    })
    .optional(),
  last_updated_at: time("Figures of the keyword were updated"),
};

export const keywordFields = {
  keyword: z.string(),
  location_code: z.int().optional(),
  language_code: z.string().optional(),
  ...metrics,
  keyword_difficulty: z
    .int()
    .optional()
    .describe("How hard it is to get among the first ten results, 0 to 100"),
  core_keyword: z.string().optional().describe("The keyword that stands for its synonyms"),
  detected_language: z.string().optional(),
  is_another_language: z
    .boolean()
    .optional()
    .describe("True when it is not in the requested language"),
  words_count: figure("Words"),
  search_intent: z
    .string()
    .optional()
    .describe("informational, navigational, commercial or transactional"),
  search_intent_alternatives: z.array(z.string()).optional(),
  serp_item_types: z.array(z.string()).optional().describe("Kinds of element on its result page"),
  serp_results_count: figure("Results that the search engine claims to know"),
  serp_updated_at: time("The result page was looked at"),
  search_url: z.string().optional(),
  avg_backlinks: z
    .object({
      backlinks: average("Backlinks"),
      dofollow: average("Backlinks that are followed"),
      referring_pages: average("Referring pages"),
      referring_domains: average("Referring domains"),
      referring_main_domains: average("Referring registrable domains"),
      rank: average("Rank of the page by its backlinks"),
      main_domain_rank: average("Rank of its registrable domain"),
    })
    .optional()
    .describe("Averages over the first ten results"),
};

export const keywordRecord = z.object(keywordFields).meta({ id: "SeoKeyword" });
export type KeywordRecord = z.output<typeof keywordRecord>;

export const relatedKeyword = z
  .object({
    ...keywordFields,
    depth: figure("Steps from the requested keyword"),
    related_keywords: z.array(z.string()).optional(),
  })
  .meta({ id: "SeoRelatedKeyword" });
export type RelatedKeyword = z.output<typeof relatedKeyword>;

export const keywordHistory = z
  .object({
    keyword: z.string(),
    history: z
      .array(z.object({ ...month, ...metrics }).meta({ id: "SeoKeywordMonth" }))
      .describe("Oldest first"),
  })
  .meta({ id: "SeoKeywordHistory" });
export type KeywordHistory = z.output<typeof keywordHistory>;

export const keywordDifficulty = z
  .object({
    keyword: z.string(),
    keyword_difficulty: z.int().optional().describe("0 to 100; absent where it is not known"),
  })
  .meta({ id: "SeoKeywordDifficulty" });

const probability = z.number().optional().describe("0 to 1");
export const keywordIntent = z
  .object({
    keyword: z.string(),
    search_intent: z.string().optional(),
    probability,
    secondary_intents: z.array(z.object({ intent: z.string(), probability })),
  })
  .meta({ id: "SeoKeywordIntent" });
export type KeywordIntent = z.output<typeof keywordIntent>;

export const suggestion = z
  .object({
    rank: z.int().optional(),
    suggestion: z.string(),
    suggestion_type: z.string().optional(),
    relevance: z.int().optional(),
    search_query_url: z.string().optional(),
    thumbnail_url: z.string().optional(),
    highlighted: z.array(z.string()).optional(),
  })
  .meta({ id: "SeoSuggestion" });
export type Suggestion = z.output<typeof suggestion>;
