import type { Engine } from "../../../contract/areas/geo/fields.ts";
import type {
  BrandEntity,
  Breakdown,
  GroupMetric,
  KeywordVolume,
  Mention,
  MentionGroup,
  MentionSearchResult,
  MentionSource,
  Month,
} from "../../../contract/areas/geo/records.ts";
import {
  type Wire,
  array,
  boolean,
  count,
  defined,
  each,
  id,
  integer,
  need,
  number,
  object,
  text,
} from "#wire";
import { texts, time } from "../../upstreams/dataforseo/values.map.ts";

const engineOfPlatform: Readonly<Record<string, Engine>> = {
  chat_gpt: "assistant",
  google: "searchengine",
};
const platformOfEngine: Readonly<Record<string, string>> = {
  assistant: "chat_gpt",
  searchengine: "google",
  chatgpt: "chat_gpt",
};

/** The upstream's name of an engine; other values stay unchanged. */
export function platformOf<T>(engine: T): T | string {
  return (typeof engine === "string" && platformOfEngine[engine]) || engine;
}

function engineOf(platform: string | undefined): string | undefined {
  return platform === undefined ? undefined : (engineOfPlatform[platform] ?? platform);
}

/** Breakdowns: the upstream's name of the array, and our type of the group. */
const dimensions = {
  by_platform: ["platform", "platform"],
  by_location: ["location", "location"],
  by_language: ["language", "language"],
  by_source_domain: ["sources_domain", "source_domain"],
  by_search_results_domain: ["search_results_domain", "search_results_domain"],
  by_brand_entity_title: ["brand_entities_title", "brand_entity_title"],
  by_brand_entity_category: ["brand_entities_category", "brand_entity_category"],
} as const;

/** Groups by every dimension; a missing or null one is empty. */
export function breakdown(holder: Wire | undefined): Breakdown {
  const entries = Object.entries(dimensions).map(([name, [source, type]]) => [
    name,
    each(holder?.[source], (entry) => groupMetric(entry, type)),
  ]);
  return Object.fromEntries(entries) as unknown as Breakdown;
}

function groupMetric(entry: unknown, type: string): GroupMetric | undefined {
  const holder = object(entry);
  const key = id(holder?.key);
  const value = type === "platform" ? engineOf(key) : key;
  if (!holder || value === undefined) return undefined;
  return defined({
    type,
    value,
    mentions: number(holder.mentions),
    ai_search_volume: number(holder.ai_search_volume),
  });
}

/** The breakdown of a whole answer; an older form of it has it under `total`. */
export function totals(result: Wire | undefined): Breakdown {
  return breakdown(totalsOf(result));
}

const totalsOf = (result: Wire | undefined) =>
  object(result?.aggregated_metrics) ?? object(result?.total);

/** Mentions summed over the platforms, or without platforms the total of the breakdown. */
function mentionsOf(holder: Wire | undefined, groups: Breakdown): number {
  const counts = groups.by_platform.map((group) => group.mentions ?? 0);
  if (counts.length > 0) return counts.reduce((a, b) => a + b, 0);
  return number(object(holder?.total)?.mentions) ?? 0;
}

/** A row of a comparison; `key` names its group. */
export function mentionGroup(row: Wire, key: "key" | "domain" | "page"): MentionGroup {
  const groups = breakdown(row);
  return {
    key: need(id(row[key]) ?? id(row.key), `items[].${key}`),
    mentions: mentionsOf(row, groups),
    breakdown: groups,
  };
}

/** The totals of an answer about one group, as the group's row. */
export function onlyGroup(result: Wire | undefined, label: string): MentionGroup {
  const groups = totals(result);
  return { key: label, mentions: mentionsOf(totalsOf(result), groups), breakdown: groups };
}

/** A row for every label, in order; a group missing upstream has no mentions. */
export function inOrder(labels: readonly string[], found: readonly MentionGroup[]): MentionGroup[] {
  const rows = new Map(found.map((group) => [group.key, group]));
  return labels.map(
    (label) => rows.get(label) ?? { key: label, mentions: 0, breakdown: breakdown(undefined) },
  );
}

function month(entry: unknown, figure: string): Month | undefined {
  const holder = object(entry);
  const [year, number_] = [integer(holder?.year), integer(holder?.month)];
  if (!holder || year === undefined || number_ === undefined) return undefined;
  return defined({ year, month: number_, ai_search_volume: number(holder[figure]) });
}

export function keywordVolume(row: Wire): KeywordVolume {
  return defined({
    keyword: need(text(row.keyword), "items[].keyword"),
    ai_search_volume: number(row.ai_search_volume),
    monthly_searches: each(row.ai_monthly_searches, (entry) => month(entry, "ai_search_volume")),
  });
}

const listOf = <T>(value: unknown, read: (entry: Wire) => T): T[] | undefined =>
  array(value) &&
  each(value, (entry) => {
    const holder = object(entry);
    return holder && read(holder);
  });

/** One recorded answer; the summary view leaves out the answer's text and sources. */
export function mention(row: Wire, view: "summary" | "full"): Mention {
  const outline = {
    platform: engineOf(text(row.platform)),
    model_name: text(row.model_name),
    location_code: integer(row.location_code),
    language_code: text(row.language_code),
    question: need(text(row.question), "items[].question"),
    ai_search_volume: number(row.ai_search_volume),
    first_response_at: time(row.first_response_at),
    last_response_at: time(row.last_response_at),
    is_web_search_based: boolean(row.is_web_search_based),
  };
  if (view === "summary") return defined(outline);
  return defined({
    ...outline,
    answer: text(row.answer),
    sources: listOf(row.sources, source),
    search_results: listOf(row.search_results, searchResult),
    monthly_searches:
      array(row.monthly_searches) &&
      each(row.monthly_searches, (entry) => month(entry, "search_volume")),
    brand_entities: listOf(row.brand_entities, brandEntity),
    fan_out_queries: texts(row.fan_out_queries),
  });
}

const citedPage = (row: Wire) => ({
  rank: count(row.rank) ?? count(row.position),
  title: text(row.title),
  url: text(row.url),
  domain: text(row.domain),
  publication_date: time(row.publication_date) ?? text(row.publication_date),
});

const source = (row: Wire): MentionSource =>
  defined({
    ...citedPage(row),
    source: text(row.source_name),
    snippet: text(row.snippet),
    markdown: text(row.markdown),
    thumbnail_url: text(row.thumbnail),
  });

const searchResult = (row: Wire): MentionSearchResult =>
  defined({ ...citedPage(row), snippet: text(row.description), breadcrumb: text(row.breadcrumb) });

const brandEntity = (row: Wire): BrandEntity =>
  defined({ rank: count(row.rank), title: text(row.title), category: text(row.category) });
