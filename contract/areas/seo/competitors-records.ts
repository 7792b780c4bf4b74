import * as z from "zod";
import { count } from "../../fields.ts";
import { serpListElement } from "../../serp.ts";
import { keywordFields } from "./keywords-records.ts";

const figure = (description: string) => count(description).optional();
const traffic = z
  .number()
  .optional()
  .describe("Estimated visits a month from the keywords it ranks for");
const cost = z
  .number()
  .optional()
  .describe("What the visits would cost as clicks on adverts, in USD a month");

const rankMetrics = z
  .object({
    count: figure("Keywords"),
    etv: traffic,
    estimated_paid_traffic_cost: cost,
    is_new: figure("Keywords that were not ranked for before"),
    is_up: figure("Keywords with a better rank than before"),
    is_down: figure("Keywords with a worse rank than before"),
    is_lost: figure("Keywords no longer ranked for"),
    pos_1: figure("Keywords at rank 1"),
    pos_2_3: figure("Keywords at ranks 2 to 3; further fields likewise"),
    pos_4_10: figure("4 to 10"),
    pos_11_20: figure("11 to 20"),
    pos_21_30: figure("21 to 30"),
    pos_31_40: figure("31 to 40"),
    pos_41_50: figure("41 to 50"),
    pos_51_60: figure("51 to 60"),
    pos_61_70: figure("61 to 70"),
    pos_71_80: figure("71 to 80"),
    pos_81_90: figure("81 to 90"),
    pos_91_100: figure("91 to 100"),
  })
  .meta({ id: "SeoRankMetrics" });
export type RankMetrics = z.output<typeof rankMetrics>;

/** Metrics by kind of element; kinds that were not requested are absent. */
const byType = {
  organic: rankMetrics.optional(),
  paid: rankMetrics.optional(),
  featured_snippet: rankMetrics.optional(),
  local_pack: rankMetrics.optional(),
};
export const metricsByType = z.object(byType).meta({ id: "SeoRankMetricsByType" });
export type MetricsByType = z.output<typeof metricsByType>;

export const domainCompetitor = z
  .object({
    domain: z.string(),
    avg_position: z.number().optional(),
    sum_position: z.number().optional(),
    intersections: figure("Keywords shared with the target"),
    metrics: metricsByType.optional().describe("Metrics of the target, for the shared keywords"),
    full_domain_metrics: metricsByType.optional().describe("For all keywords of the competitor"),
    competitor_metrics: metricsByType
      .optional()
      .describe("Metrics of the competitor, for the shared keywords"),
  })
  .meta({ id: "SeoDomainCompetitor" });
export type DomainCompetitor = z.output<typeof domainCompetitor>;

export const serpCompetitor = z
  .object({
    domain: z.string(),
    avg_position: z.number().optional(),
    median_position: z.number().optional(),
    rating: z.number().optional().describe("Sum over the keywords of 101 minus the rank"),
    etv: traffic,
    keywords_count: figure("Number of the requested keywords that it ranks for"),
    visibility: z.number().optional().describe("Share of the best places, 0 to 1"),
    relevant_serp_items: figure("Elements on the result pages"),
    keyword_positions: z
      .array(z.object({ keyword: z.string(), positions: z.array(z.int()) }))
      .optional(),
  })
  .meta({ id: "SeoSerpCompetitor" });
export type SerpCompetitor = z.output<typeof serpCompetitor>;

const ranking = {
  rank_group: z.int().optional().describe("Rank among the elements of its type"),
  rank_absolute: z.int().optional().describe("Rank among all elements"),
  position: z.string().optional().describe("Side of the page"),
  domain: z.string().optional(),
  title: z.string().optional(),
  url: z.string().optional(),
  etv: traffic,
  estimated_paid_traffic_cost: cost,
  element: serpListElement.optional().describe("The element as it was seen, in the full view"),
};

export const keywordRanking = z.object(ranking).meta({ id: "SeoKeywordRanking" });
export type KeywordRanking = z.output<typeof keywordRanking>;

export const rankedKeyword = z
  .object({
    ...keywordFields,
    ...ranking,
    is_lost: z.boolean().optional().describe("No longer ranked for"),
    rank_updated_at: z.string().optional().describe("The rank was seen, ISO 8601 UTC"),
    previous_rank_updated_at: z
      .string()
      .optional()
      .describe("The rank before was seen, ISO 8601 UTC"),
  })
  .meta({ id: "SeoRankedKeyword" });
export type RankedKeyword = z.output<typeof rankedKeyword>;

export const relevantPage = z
  .object({ page_address: z.string(), metrics: metricsByType.optional() })
  .meta({ id: "SeoRelevantPage" });
export type RelevantPage = z.output<typeof relevantPage>;

export const subdomain = z
  .object({ subdomain: z.string(), metrics: metricsByType.optional() })
  .meta({ id: "SeoSubdomain" });
export type Subdomain = z.output<typeof subdomain>;

export const sharedKeyword = z
  .object({
    ...keywordFields,
    first_domain: keywordRanking.optional(),
    second_domain: keywordRanking.optional().describe("Absent where only the first one ranks"),
  })
  .meta({ id: "SeoDomainKeywordIntersection" });
export type SharedKeyword = z.output<typeof sharedKeyword>;

export const pagesKeyword = z
  .object({
    ...keywordFields,
    page_rankings: z
      .array(z.object({ page: z.string(), ...ranking }).meta({ id: "SeoPageRanking" }))
      .describe("In the order of `pages`; pages that do not rank are absent"),
  })
  .meta({ id: "SeoPageKeywordIntersection" });
export type PagesKeyword = z.output<typeof pagesKeyword>;

export const rankOverview = z
  .object({
    location_code: z.int().optional(),
    language_code: z.string().optional(),
    ...byType,
  })
  .meta({ id: "SeoRankOverview" });
export type RankOverview = z.output<typeof rankOverview>;

export const rankMonth = z
  .object({ year: z.int(), month: z.int().describe("1 to 12"), ...byType })
  .meta({ id: "SeoRankMonth" });
export type RankMonth = z.output<typeof rankMonth>;

export const historicalSerp = z
  .object({
    observed_at: z.string().describe("ISO 8601 UTC"),
    search_url: z.string().optional(),
    total_results: figure("Results that the search engine claimed to know"),
    item_types: z.array(z.string()),
    items_count: z.int().min(0).describe("Elements in `results`"),
    results: z.array(serpListElement),
  })
  .meta({ id: "SeoHistoricalSerp" });
export type HistoricalSerp = z.output<typeof historicalSerp>;

const visits = z.object({ etv: traffic, count: figure("Keywords") }).meta({ id: "SeoTraffic" });
export const trafficByType = z
  .object({
    organic: visits.optional(),
    paid: visits.optional(),
    featured_snippet: visits.optional(),
    local_pack: visits.optional(),
  })
  .meta({ id: "SeoTrafficByType" });
export type TrafficByType = z.output<typeof trafficByType>;

const visitsOfMonths = z
  .array(
    z
      .object({ year: z.int(), month: z.int(), etv: traffic, count: figure("Keywords") })
      .meta({ id: "SeoTrafficMonth" }),
  )
  .optional()
  .describe("Oldest first");
export const trafficHistory = {
  organic: visitsOfMonths,
  paid: visitsOfMonths,
  featured_snippet: visitsOfMonths,
  local_pack: visitsOfMonths,
};
export type TrafficHistory = z.output<z.ZodObject<typeof trafficHistory>>;
