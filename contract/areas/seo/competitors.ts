import * as z from "zod";
import { day } from "../../fields.ts";
import { operation } from "../../operation.ts";
import {
  domainCompetitor,
  historicalSerp,
  metricsByType,
  pagesKeyword,
  rankMonth,
  rankOverview,
  rankedKeyword,
  relevantPage,
  serpCompetitor,
  sharedKeyword,
  subdomain,
  trafficByType,
  trafficHistory,
} from "./competitors-records.ts";
import {
  bulkTargets,
  filters,
  inOrder,
  isInOrder,
  keywords,
  keywordView,
  listInput,
  localityFields,
  paging,
  perTarget,
  recentDay,
  searchText,
} from "./fields.ts";
import { language, listed, location, orderBy, view } from "../../search.ts";
import { address, domainTarget, isPage, pageTarget } from "../../target.ts";

const locality = { location, language };
const itemTypes = z
  .array(z.enum(["organic", "paid", "featured_snippet", "local_pack"]))
  .min(1)
  .max(4)
  .default(["organic", "paid"])
  .describe("Kinds of element that count; the first decides the order");
const ignoreSynonyms = z
  .boolean()
  .default(false)
  .describe("Only the keyword that stands for a group of synonyms");
const historicalMode = z
  .enum(["live", "lost", "all"])
  .default("live")
  .describe("Keywords ranked for now, no longer, or both");
const includeSerpInfo = z
  .boolean()
  .default(false)
  .describe("With what is known about the result page of each keyword");

const shaped = { item_types: itemTypes, filters, order_by: orderBy, ...locality, ...paging() };
const found = { ...shaped, view };
const foundKeywords = { ...shaped, view: keywordView };

const list = <Row extends z.ZodType, More extends z.ZodRawShape>(row: Row, more: More) =>
  z.object({
    ...more,
    ...localityFields,
    view: z.string(),
    total_count: z.int().min(0).optional(),
    results: z.array(row),
  });
const about = { target: z.string() };

const isPattern = (text: string) => isPage(text.endsWith("*") ? text.slice(0, -1) : text);
const pagePattern = address(isPattern, "must be an absolute http(s) URL, which may end in `*`");

const months = (from: Date, to: Date) =>
  (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth() + 1;
const days = (from: Date, to: Date) => Math.floor((to.getTime() - from.getTime()) / 86_400_000) + 1;

interface Period {
  date_from?: string | undefined;
  date_to?: string | undefined;
}
const at = (text: string | undefined) => (text === undefined ? new Date() : new Date(text));

const perPoint = (defaultMost: number, between: (from: Date, to: Date) => number) =>
  ({
    kind: "list",
    rows: (data: { results: readonly unknown[] }) => data.results,
    most: ({ date_from, date_to }: Period) =>
      date_from === undefined ? defaultMost : Math.max(1, between(at(date_from), at(date_to))),
  }) as const;

const bulkAnswers = <Fields extends z.ZodRawShape>(component: string, fields: Fields) =>
  z.object({
    ...localityFields,
    results: z
      .array(z.object({ target: z.string(), ...fields }).meta({ id: component }))
      .describe("In the order of `targets`"),
    missing_targets: z.array(z.string()).optional().describe("Not known to the source"),
    unprocessed_targets: z
      .array(z.string())
      .optional()
      .describe("Not paid for by the balance, or lost with a part of the call that failed"),
  });
const some = ["example.com", "blog.example.org", "example.net"];

export const competitors = [
  operation({
    id: "seo.competitors.domain",
    method: "POST",
    path: "/seo/competitors/domain",
    summary: "Domains that rank for the same keywords as a domain",
    input: listInput({
      target: domainTarget,
      max_rank_group: z.int().min(1).max(100).default(100).describe("Only ranks up to this one"),
      exclude_top_domains: z.boolean().default(false).describe("Leave out the largest sites"),
      exclude_domains: z.array(domainTarget).min(1).max(1000).optional(),
      intersecting_domains: z
        .array(domainTarget)
        .min(1)
        .max(20)
        .optional()
        .describe("Only keywords for which these rank as well"),
      ignore_synonyms: ignoreSynonyms,
      ...found,
    }),
    data: list(domainCompetitor, about),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.competitors.serp",
    method: "POST",
    path: "/seo/competitors/serp",
    summary: "Domains that rank for given keywords",
    input: listInput({
      keywords: keywords(200, { length: 250 }),
      include_subdomains: z.boolean().default(true),
      ...found,
    }),
    data: list(serpCompetitor, { keywords: z.array(z.string()) }),
    paginated: true,
    records: listed,
    example: { keywords: ["running shoes", "trail shoes"], limit: 20 },
  }),
  operation({
    id: "seo.competitors.ranked_keywords",
    method: "POST",
    path: "/seo/competitors/ranked-keywords",
    summary: "Keywords for which a domain or page ranks",
    input: listInput({
      target: pageTarget,
      historical_mode: historicalMode,
      load_rank_absolute: z
        .boolean()
        .default(false)
        .describe("With `metrics_absolute`, counted by rank among all elements"),
      ignore_synonyms: ignoreSynonyms,
      ...foundKeywords,
    }),
    data: list(rankedKeyword, {
      ...about,
      metrics: metricsByType.optional().describe("Over all keywords"),
      metrics_absolute: metricsByType
        .optional()
        .describe("Over all keywords, by rank among all elements"),
    }),
    paginated: true,
    records: listed,
    example: { target: "example.com", load_rank_absolute: true, view: "full", limit: 20 },
  }),
  operation({
    id: "seo.competitors.relevant_pages",
    method: "POST",
    path: "/seo/competitors/relevant-pages",
    summary: "Pages of a domain that rank",
    input: listInput({
      target: domainTarget,
      historical_mode: historicalMode,
      ignore_synonyms: ignoreSynonyms,
      ...found,
    }),
    data: list(relevantPage, about),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.competitors.subdomains",
    method: "POST",
    path: "/seo/competitors/subdomains",
    summary: "Subdomains of a domain that rank",
    input: listInput({
      target: domainTarget,
      historical_mode: historicalMode,
      ignore_synonyms: ignoreSynonyms,
      ...found,
    }),
    data: list(subdomain, about),
    paginated: true,
    records: listed,
    example: { target: "example.com", limit: 20 },
  }),
  operation({
    id: "seo.competitors.domain_intersection",
    method: "POST",
    path: "/seo/competitors/domain-intersection",
    summary: "Keywords for which two domains rank",
    input: listInput({
      target1: domainTarget,
      target2: domainTarget,
      intersections: z
        .boolean()
        .default(true)
        .describe("Keywords of both, or only those that the second has not"),
      include_serp_info: includeSerpInfo,
      ...foundKeywords,
    }),
    data: list(sharedKeyword, { target1: z.string(), target2: z.string() }),
    paginated: true,
    records: listed,
    example: { target1: "example.com", target2: "example.org", view: "full", limit: 20 },
  }),
  operation({
    id: "seo.competitors.page_intersection",
    method: "POST",
    path: "/seo/competitors/page-intersection",
    summary: "Keywords for which several pages rank",
    description:
      "In `filters` and `order_by` a field of a page is preceded by its number from 1: `1.rank_group`.",
    input: listInput({
      pages: z
        .array(pagePattern)
        .min(1)
        .max(20)
        .describe("Absolute URLs; a `*` at the end stands for any rest"),
      exclude_pages: z
        .array(pagePattern)
        .min(1)
        .max(10)
        .optional()
        .describe("Pages that must not rank"),
      intersection_mode: z
        .enum(["union", "intersect"])
        .optional()
        .describe(
          "Keywords of any of the pages, or of all; `intersect` when absent, `union` with `exclude_pages`",
        ),
      include_subdomains: z.boolean().default(true),
      include_serp_info: includeSerpInfo,
      ignore_synonyms: ignoreSynonyms,
      ...foundKeywords,
    }),
    data: list(pagesKeyword, { pages: z.array(z.string()), intersection_mode: z.string() }),
    paginated: true,
    records: listed,
    example: {
      pages: ["https://example.com/guide", "https://example.org/*"],
      intersection_mode: "union",
      view: "full",
      limit: 20,
    },
  }),
  operation({
    id: "seo.competitors.domain_rank_overview",
    method: "POST",
    path: "/seo/competitors/domain-rank-overview",
    summary: "How a domain ranks",
    input: listInput({
      target: domainTarget,
      ignore_synonyms: ignoreSynonyms,
      ...locality,
      ...paging(),
      view,
    }),
    data: list(rankOverview, about),
    paginated: true,
    records: listed,
    example: { target: "example.com" },
  }),
  operation({
    id: "seo.competitors.historical_rank_overview",
    method: "POST",
    path: "/seo/competitors/historical-rank-overview",
    summary: "How a domain ranked, month by month",
    description: "Every month is one record.",
    input: z
      .strictObject({
        target: domainTarget,
        date_from: day("First day; six months ago when absent", "2020-10-01").optional(),
        date_to: day("Last day; today when absent", "2020-10-01").optional(),
        correlate: z
          .boolean()
          .default(true)
          .describe("Make months comparable that were measured in different ways"),
        ignore_synonyms: ignoreSynonyms,
        ...locality,
        view,
      })
      .refine(isInOrder, inOrder),
    data: z.object({
      ...about,
      ...localityFields,
      view: z.string(),
      total_count: z.int().min(0).optional(),
      results: z.array(rankMonth).describe("Oldest first"),
    }),
    records: perPoint(12, months),
    example: { target: "example.com", date_from: "2025-01-01", date_to: "2025-12-31" },
  }),
  operation({
    id: "seo.competitors.historical_serps",
    method: "POST",
    path: "/seo/competitors/historical-serps",
    summary: "Result pages of a keyword as they were seen over a year",
    description: "Every result page is one record, with all its elements.",
    input: z
      .strictObject({
        keyword: searchText,
        date_from: recentDay("First day", "2020-10-01", 366).optional(),
        date_to: recentDay("Last day", "2020-10-01", 366).optional(),
        ...locality,
        view: keywordView,
      })
      .refine(isInOrder, inOrder),
    data: z.object({
      keyword: z.string(),
      ...localityFields,
      view: z.string(),
      total_count: z.int().min(0).optional(),
      results: z.array(historicalSerp),
    }),
    records: perPoint(366, days),
    example: { keyword: "running shoes", view: "full" },
  }),
  operation({
    id: "seo.competitors.bulk_traffic",
    method: "POST",
    path: "/seo/competitors/bulk-traffic",
    pool: "seo-bulk",
    summary: "Estimated traffic of up to 1000 domains or pages",
    input: z.strictObject({
      targets: bulkTargets(pageTarget),
      item_types: itemTypes,
      ignore_synonyms: ignoreSynonyms,
      ...locality,
      view: view.describe("Echoed: the figures are the same in both"),
    }),
    data: bulkAnswers("SeoTargetTraffic", { metrics: trafficByType }).extend({ view: z.string() }),
    records: perTarget,
    example: { targets: some, item_types: ["organic", "paid", "featured_snippet", "local_pack"] },
  }),
  operation({
    id: "seo.competitors.historical_bulk_traffic",
    method: "POST",
    path: "/seo/competitors/historical-bulk-traffic",
    pool: "seo-bulk",
    summary: "Estimated traffic of up to 1000 domains, month by month",
    input: z
      .strictObject({
        targets: bulkTargets(domainTarget),
        date_from: day("First day; a year ago when absent", "2020-10-01").optional(),
        date_to: day("Last day; today when absent", "2020-10-01").optional(),
        item_types: itemTypes,
        ignore_synonyms: ignoreSynonyms,
        ...locality,
      })
      .refine(isInOrder, inOrder),
    data: bulkAnswers("SeoTargetTrafficHistory", trafficHistory),
    records: perTarget,
    example: {
      targets: some,
      item_types: ["organic", "paid", "featured_snippet", "local_pack"],
      date_from: "2025-01-01",
      date_to: "2025-06-30",
    },
  }),
] as const;
