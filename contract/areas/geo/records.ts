import * as z from "zod";
import { engines } from "./fields.ts";

const groupMetric = z
  .object({
    type: z.string().optional().describe("Dimension of the breakdown: platform, location, …"),
    value: z.string().describe("The group: a domain, a title, a geo code, …"),
    mentions: z.number().optional(),
    ai_search_volume: z.number().optional().describe("Searches in assistants a month"),
  })
  .meta({ id: "GeoGroupMetric" });
export type GroupMetric = z.output<typeof groupMetric>;

const groups = z.array(groupMetric);

export const breakdown = z
  .object({
    by_platform: groups,
    by_location: groups,
    by_language: groups,
    by_source_domain: groups.describe("Domains that the answers cite; the target's own among them"),
    by_search_results_domain: groups.describe("Domains among the results that an assistant read"),
    by_brand_entity_title: groups.describe("Brands that the answers name; assistant only"),
    by_brand_entity_category: groups.describe("Categories of those brands; assistant only"),
  })
  .meta({ id: "GeoMentionBreakdown" });
export type Breakdown = z.output<typeof breakdown>;

export const mentionGroup = z
  .object({
    key: z.string().describe("Label of the group, domain or URL of the page"),
    mentions: z.number().describe("Over all platforms"),
    breakdown,
  })
  .meta({ id: "GeoMentionGroup" });
export type MentionGroup = z.output<typeof mentionGroup>;

/** Fields of the request that every answer about mentions repeats. */
export const mentionEcho = { engine: z.enum(engines), location: z.string(), language: z.string() };

const month = z
  .object({
    year: z.int(),
    month: z.int(),
    ai_search_volume: z.number().optional(),
  })
  .meta({ id: "GeoMonthlySearches" });
export type Month = z.output<typeof month>;
const months = z.array(month).describe("Newest first");

export const keywordVolume = z
  .object({
    keyword: z.string(),
    ai_search_volume: z.number().optional().describe("Searches in assistants, last month"),
    monthly_searches: months,
  })
  .meta({ id: "GeoKeywordVolume" });
export type KeywordVolume = z.output<typeof keywordVolume>;

const mentionSource = z
  .object({
    rank: z.int().optional(),
    title: z.string().optional(),
    url: z.string().optional(),
    domain: z.string().optional(),
    source: z.string().optional().describe("Name of the publisher"),
    snippet: z.string().optional(),
    markdown: z.string().optional(),
    thumbnail_url: z.string().optional(),
    publication_date: z.string().optional(),
  })
  .meta({ id: "GeoMentionSource" });
export type MentionSource = z.output<typeof mentionSource>;

const mentionSearchResult = z
  .object({
    rank: z.int().optional(),
    title: z.string().optional(),
    url: z.string().optional(),
    domain: z.string().optional(),
    snippet: z.string().optional(),
    breadcrumb: z.string().optional(),
    publication_date: z.string().optional(),
  })
  .meta({ id: "GeoMentionSearchResult" });
export type MentionSearchResult = z.output<typeof mentionSearchResult>;

const brandEntity = z
  .object({
    rank: z.int().optional(),
    title: z.string().optional(),
    category: z.string().optional(),
  })
  .meta({ id: "GeoBrandEntity" });
export type BrandEntity = z.output<typeof brandEntity>;

/** One recorded answer that mentions a target. */
export const mention = z
  .object({
    platform: z.string().optional().describe("assistant or searchengine"),
    model_name: z.string().optional(),
    location_code: z.int().optional().describe("Geo code"),
    language_code: z.string().optional(),
    question: z.string(),
    answer: z.string().optional().describe("Markdown; view full only"),
    sources: z.array(mentionSource).optional().describe("What the answer cites; view full only"),
    search_results: z
      .array(mentionSearchResult)
      .optional()
      .describe("What an assistant found while answering; view full only"),
    ai_search_volume: z.number().optional(),
    monthly_searches: months.optional().describe("Newest first; view full only"),
    first_response_at: z.string().optional().describe("First recorded, ISO 8601 UTC"),
    last_response_at: z.string().optional().describe("Last recorded, ISO 8601 UTC"),
    brand_entities: z.array(brandEntity).optional().describe("View full only"),
    fan_out_queries: z
      .array(z.string())
      .optional()
      .describe("Searches that an assistant made to answer; view full only"),
    is_web_search_based: z.boolean().optional(),
  })
  .meta({ id: "GeoMention" });
export type Mention = z.output<typeof mention>;
