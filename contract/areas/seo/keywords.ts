import * as z from "zod";
import { operation } from "../../operation.ts";
import {
  filters,
  keyword,
  keywords,
  keywordView,
  listInput,
  localityFields,
  paging,
  perKeyword,
  searchText,
} from "./fields.ts";
import { language, listed, location, orderBy } from "../../search.ts";
import {
  keywordDifficulty,
  keywordHistory,
  keywordIntent,
  keywordRecord,
  relatedKeyword,
  suggestion,
} from "./keywords-records.ts";
import { domainTarget } from "../../target.ts";

const locality = { location, language };
const includeSerpInfo = z
  .boolean()
  .default(false)
  .describe("With what is known about the result page of each keyword");
const ignoreSynonyms = z
  .boolean()
  .default(false)
  .describe("Only the keyword that stands for a group of synonyms");
const includeSeed = z
  .boolean()
  .default(false)
  .describe("With the figures of the keyword itself, which cost nothing");

const shaped = { filters, order_by: orderBy, view: keywordView };
const found = { include_serp_info: includeSerpInfo, ...locality, ...shaped, ...paging() };

const many = <Row extends z.ZodType, More extends z.ZodRawShape>(row: Row, more: More) =>
  z.object({
    keywords: z.array(z.string()).describe("As requested"),
    ...more,
    results: z.array(row).describe("In the order of `keywords`"),
    missing_keywords: z.array(z.string()).optional().describe("Not known to the source"),
    unprocessed_keywords: z
      .array(z.string())
      .optional()
      .describe("Not paid for by the balance, or lost with a part of the call that failed"),
  });

const list = <Row extends z.ZodType, More extends z.ZodRawShape>(row: Row, more: More) =>
  z.object({
    ...more,
    ...localityFields,
    view: z.string(),
    total_count: z.int().min(0).optional(),
    results: z.array(row),
  });

const some = ["running shoes", "trail shoes", "Shoe Care"];
const bulk = { method: "POST", pool: "seo-bulk", records: perKeyword } as const;

export const keywordOperations = [
  operation({
    ...bulk,
    id: "seo.keywords.overview",
    path: "/seo/keywords/overview",
    summary: "Figures of up to 700 keywords",
    input: z.strictObject({
      keywords: keywords(700, { length: 80, words: 10 }),
      include_serp_info: includeSerpInfo,
      ...locality,
      view: keywordView,
    }),
    data: many(keywordRecord, { ...localityFields, view: z.string() }),
    example: { keywords: some, include_serp_info: true },
  }),
  operation({
    ...bulk,
    id: "seo.keywords.history",
    path: "/seo/keywords/history",
    summary: "Figures of up to 700 keywords, month by month",
    input: z.strictObject({ keywords: keywords(700, { length: 80, words: 10 }), ...locality }),
    data: many(keywordHistory, localityFields),
    example: { keywords: some },
  }),
  operation({
    ...bulk,
    id: "seo.keywords.difficulty",
    path: "/seo/keywords/difficulty",
    summary: "Difficulty of up to 1000 keywords",
    input: z.strictObject({ keywords: keywords(1000, { length: 250 }), ...locality }),
    data: many(keywordDifficulty, localityFields),
    example: { keywords: some },
  }),
  operation({
    ...bulk,
    id: "seo.keywords.intent",
    path: "/seo/keywords/intent",
    summary: "Search intent of up to 1000 keywords",
    input: z.strictObject({ keywords: keywords(1000, { length: 250 }), language }),
    data: many(keywordIntent, { language: localityFields.language }),
    example: { keywords: some },
  }),
  operation({
    id: "seo.keywords.ideas",
    method: "POST",
    path: "/seo/keywords/ideas",
    summary: "Keywords of the same categories as those given",
    input: listInput({
      keywords: keywords(200, { length: 250 }),
      closely_variants: z.boolean().default(false).describe("Only close variants"),
      ignore_synonyms: ignoreSynonyms,
      ...found,
    }),
    data: list(keywordRecord, { seed_keywords: z.array(z.string()) }),
    paginated: true,
    records: listed,
    example: { keywords: ["running shoes"], limit: 20 },
  }),
  operation({
    id: "seo.keywords.suggestions",
    method: "POST",
    path: "/seo/keywords/suggestions",
    summary: "Keywords that contain a keyword",
    input: listInput({
      keyword,
      exact_match: z.boolean().default(false).describe("Its words together and in order"),
      include_seed_keyword: includeSeed,
      ignore_synonyms: ignoreSynonyms,
      ...found,
    }),
    data: list(keywordRecord, { seed_keyword: z.string(), seed: keywordRecord.optional() }),
    paginated: true,
    records: listed,
    example: { keyword: "running shoes", include_seed_keyword: true, limit: 20 },
  }),
  operation({
    id: "seo.keywords.related",
    method: "POST",
    path: "/seo/keywords/related",
    summary: "Keywords that people search beside a keyword",
    input: listInput({
      keyword,
      depth: z
        .int()
        .min(0)
        .max(4)
        .default(1)
        .describe("Steps from the keyword: up to 8 keywords, 72, 584, 4680; 0 is itself"),
      include_seed_keyword: includeSeed,
      replace_with_core_keyword: z
        .boolean()
        .default(false)
        .describe("Take the keyword that stands for its synonyms"),
      ignore_synonyms: ignoreSynonyms,
      ...found,
    }),
    data: list(relatedKeyword, {
      seed_keyword: z.string(),
      seed: keywordRecord.optional(),
      depth: z.int(),
    }),
    paginated: true,
    records: listed,
    example: { keyword: "running shoes", depth: 2, include_seed_keyword: true, limit: 20 },
  }),
  operation({
    id: "seo.keywords.for_site",
    method: "POST",
    path: "/seo/keywords/for-site",
    summary: "Keywords that fit a domain",
    input: listInput({
      target: domainTarget,
      include_subdomains: z.boolean().default(true),
      ...found,
    }),
    data: list(keywordRecord, { target: z.string() }),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.keywords.autocomplete",
    method: "POST",
    path: "/seo/keywords/autocomplete",
    summary: "What the search engine suggests while a keyword is typed",
    input: z.strictObject({
      keyword: searchText,
      cursor_pointer: z
        .int()
        .min(0)
        .max(700)
        .optional()
        .describe("Place of the cursor in the keyword, from 0; at its end when absent"),
      client: z
        .enum([
          "chrome",
          "chrome-omni",
          "gws-wiz",
          "gws-wiz-serp",
          "gws-wiz-local",
          "safari",
          "firefox",
          "psy-ab",
          "img",
          "products-cc",
        ])
        .optional()
        .describe("Where the keyword is typed; suggestions differ"),
      ...locality,
    }),
    data: z.object({
      keyword: z.string(),
      ...localityFields,
      cursor_pointer: z.int().optional(),
      client: z.string().optional(),
      observed_at: z.string().optional().describe("ISO 8601 UTC"),
      search_url: z.string().optional(),
      results: z.array(suggestion),
    }),
    records: {
      kind: "list",
      rows: (data) => data.results,
      // The search engine suggests about ten.
      most: () => 50,
    },
    example: { keyword: "running sh", cursor_pointer: 10, client: "chrome" },
  }),
] as const;
