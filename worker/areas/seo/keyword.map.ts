import type {
  KeywordHistory,
  KeywordIntent,
  KeywordRecord,
  RelatedKeyword,
  Suggestion,
} from "../../../contract/areas/seo/keywords-records.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  each,
  integer,
  need,
  number,
  object,
  text,
} from "#wire";
import { texts, time } from "../../upstreams/dataforseo/values.map.ts";

export type KeywordView = "summary" | "standard" | "full";

/** Rounds a 32-bit float, which has noise after the fourth decimal. */
export function rounded(value: unknown): number | undefined {
  const found = number(value);
  return found === undefined ? undefined : Number(found.toFixed(4));
}

function monthly(value: unknown) {
  return array(value)?.flatMap((entry) => {
    const row = object(entry);
    const [year, month] = [integer(row?.year), integer(row?.month)];
    return year === undefined || month === undefined
      ? []
      : [{ year, month, search_volume: count(row?.search_volume) }];
  });
}

function trend(value: unknown) {
  const holder = object(value);
  return (
    holder && {
      monthly: integer(holder.monthly),
      quarterly: integer(holder.quarterly),
      yearly: integer(holder.yearly),
    }
  );
}

/** The block `keyword_info`. */
function metrics(info: Wire | undefined) {
  return {
    search_volume: count(info?.search_volume),
    cpc: rounded(info?.cpc),
    competition: rounded(info?.competition),
    competition_level: text(info?.competition_level),
    low_top_of_page_bid: rounded(info?.low_top_of_page_bid),
    high_top_of_page_bid: rounded(info?.high_top_of_page_bid),
    categories: array(info?.categories) && each(info?.categories, integer),
    monthly_searches: monthly(info?.monthly_searches),
    search_volume_trend: trend(info?.search_volume_trend),
    last_updated_at: time(info?.last_updated_time),
  };
}

function averages(value: unknown): KeywordRecord["avg_backlinks"] {
  const holder = object(value);
  return (
    holder && {
      backlinks: number(holder.backlinks),
      dofollow: number(holder.dofollow),
      referring_pages: number(holder.referring_pages),
      referring_domains: number(holder.referring_domains),
      referring_main_domains: number(holder.referring_main_domains),
      rank: number(holder.rank),
      main_domain_rank: number(holder.main_domain_rank),
    }
  );
}

/** A keyword's figures; their blocks are null for rare keywords. */
export function keywordRecord(row: Wire, view: KeywordView): KeywordRecord {
  const { categories, ...known } = metrics(object(row.keyword_info));
  const brief = {
    keyword: need(text(row.keyword), "items[].keyword"),
    search_volume: known.search_volume,
    cpc: known.cpc,
    competition: known.competition,
    competition_level: known.competition_level,
    keyword_difficulty: integer(at(row, "keyword_properties", "keyword_difficulty")),
    search_intent: text(at(row, "search_intent_info", "main_intent")),
  };
  if (view === "summary") return brief;
  const properties = object(row.keyword_properties);
  const serp = object(row.serp_info);
  return {
    ...brief,
    ...known,
    location_code: integer(row.location_code),
    language_code: text(row.language_code),
    core_keyword: text(properties?.core_keyword),
    detected_language: text(properties?.detected_language),
    is_another_language: boolean(properties?.is_another_language),
    words_count: count(properties?.words_count),
    search_intent_alternatives: texts(at(row, "search_intent_info", "foreign_intent")),
    serp_item_types: texts(serp?.serp_item_types),
    serp_results_count: count(serp?.se_results_count),
    serp_updated_at: time(serp?.last_updated_time),
    search_url: text(serp?.check_url),
    ...(view === "full" ? { categories, avg_backlinks: averages(row.avg_backlinks_info) } : {}),
  };
}

export function relatedKeyword(row: Wire, view: KeywordView): RelatedKeyword {
  const data = need(object(row.keyword_data), "items[].keyword_data");
  return {
    ...keywordRecord(data, view),
    depth: count(row.depth),
    related_keywords: texts(row.related_keywords),
  };
}

export function keywordHistory(row: Wire): KeywordHistory {
  const months = each(row.history, (entry) => {
    const point = object(entry);
    const [year, month] = [integer(point?.year), integer(point?.month)];
    if (!point || year === undefined || month === undefined) return undefined;
    return { year, month, ...metrics(object(point.keyword_info)) };
  });
  return {
    keyword: need(text(row.keyword), "items[].keyword"),
    history: months.sort((a, b) => a.year - b.year || a.month - b.month),
  };
}

export function keywordIntent(row: Wire): KeywordIntent {
  const intent = object(row.keyword_intent);
  return {
    keyword: need(text(row.keyword), "items[].keyword"),
    search_intent: text(intent?.label),
    probability: rounded(intent?.probability),
    secondary_intents: each(row.secondary_keyword_intents, (entry) => {
      const other = object(entry);
      const label = text(other?.label);
      return label === undefined
        ? undefined
        : { intent: label, probability: rounded(other?.probability) };
    }),
  };
}

export function suggestion(row: Wire): Suggestion {
  return {
    rank: count(row.rank_absolute),
    suggestion: need(text(row.suggestion), "items[].suggestion"),
    suggestion_type: text(row.suggestion_type),
    relevance: integer(row.relevance),
    search_query_url: text(row.search_query_url),
    thumbnail_url: text(row.thumbnail_url),
    highlighted: texts(row.highlighted),
  };
}

const blocks: Readonly<Record<string, readonly string[]>> = {
  keyword_info: [
    "search_volume",
    "cpc",
    "competition",
    "competition_level",
    "low_top_of_page_bid",
    "high_top_of_page_bid",
    "categories",
    "monthly_searches",
    "search_volume_trend",
  ],
  keyword_properties: [
    "keyword_difficulty",
    "core_keyword",
    "detected_language",
    "is_another_language",
    "words_count",
  ],
  serp_info: ["serp_item_types"],
};

/** Our name of a keyword's field -> its path in the source. */
const sourcePaths: ReadonlyMap<string, string> = new Map([
  ...["keyword", "location_code", "language_code"].map((name) => [name, name] as const),
  ...Object.entries(blocks).flatMap(([block, names]) =>
    names.map((name) => [name, `${block}.${name}`] as const),
  ),
  ["last_updated_at", "keyword_info.last_updated_time"],
  ["search_intent", "search_intent_info.main_intent"],
  ["search_intent_alternatives", "search_intent_info.foreign_intent"],
  ["serp_results_count", "serp_info.se_results_count"],
  ["serp_updated_at", "serp_info.last_updated_time"],
  ["search_url", "serp_info.check_url"],
  ["avg_backlinks", "avg_backlinks_info"],
]);

/** The source's name of a field in `filters` and `order_by`; other names stay unchanged. `prefix` leads to the keyword. */
export function keywordField(prefix: "" | "keyword_data.", name: string): string {
  const [first = "", ...rest] = name.split(".");
  const path = sourcePaths.get(first);
  return path === undefined ? name : `${prefix}${[path, ...rest].join(".")}`;
}

/** Encodes `%` and `+`, which the source decodes in requests. */
export function sentKeyword(keyword: string): string {
  return keyword.replaceAll("%", "%25").replaceAll("+", "%2B");
}
