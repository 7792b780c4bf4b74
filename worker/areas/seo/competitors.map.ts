import type {
  DomainCompetitor,
  HistoricalSerp,
  KeywordRanking,
  MetricsByType,
  PagesKeyword,
  RankedKeyword,
  RankMetrics,
  RankMonth,
  RankOverview,
  RelevantPage,
  SerpCompetitor,
  SharedKeyword,
  Subdomain,
  TrafficByType,
  TrafficHistory,
} from "../../../contract/areas/seo/competitors-records.ts";
import type { SerpListElement } from "../../../contract/serp.ts";
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
  rows,
  text,
} from "#wire";
import { numbered, texts, time } from "../../upstreams/dataforseo/values.map.ts";
import { type KeywordView, keywordField, keywordRecord } from "./keyword.map.ts";
import { serpElement, typesOf } from "../../upstreams/dataforseo/serp-elements.map.ts";

export type View = "summary" | "full";

const types = ["organic", "paid", "featured_snippet", "local_pack"] as const;

/** A value for each kind of element that has an entry in the source. */
function perType<T>(
  value: unknown,
  read: (entry: unknown) => T | undefined,
): { [type in (typeof types)[number]]?: T | undefined } {
  const holder = object(value);
  return Object.fromEntries(types.map((type) => [type, read(holder?.[type])]));
}

const rankBands = [
  "pos_1",
  "pos_2_3",
  "pos_4_10",
  "pos_11_20",
  "pos_21_30",
  "pos_31_40",
  "pos_41_50",
  "pos_51_60",
  "pos_61_70",
  "pos_71_80",
  "pos_81_90",
  "pos_91_100",
] as const;

function rankMetrics(value: unknown, view: View): RankMetrics | undefined {
  const holder = object(value);
  if (!holder) return undefined;
  return {
    count: count(holder.count),
    etv: number(holder.etv),
    estimated_paid_traffic_cost: number(holder.estimated_paid_traffic_cost),
    is_new: count(holder.is_new),
    is_up: count(holder.is_up),
    is_down: count(holder.is_down),
    is_lost: count(holder.is_lost),
    ...(view === "full"
      ? Object.fromEntries(rankBands.map((band) => [band, count(holder[band])]))
      : {}),
  };
}

export function metricsByType(value: unknown, view: View): MetricsByType | undefined {
  return object(value) && perType(value, (entry) => rankMetrics(entry, view));
}

export function domainCompetitor(row: Wire, view: View): DomainCompetitor {
  return {
    domain: need(text(row.domain), "items[].domain"),
    avg_position: number(row.avg_position),
    sum_position: number(row.sum_position),
    intersections: count(row.intersections),
    metrics: metricsByType(row.metrics, view),
    ...(view === "full"
      ? {
          full_domain_metrics: metricsByType(row.full_domain_metrics, view),
          competitor_metrics: metricsByType(row.competitor_metrics, view),
        }
      : {}),
  };
}

export function serpCompetitor(row: Wire, view: View): SerpCompetitor {
  const positions = object(row.keywords_positions);
  return {
    domain: need(text(row.domain), "items[].domain"),
    avg_position: number(row.avg_position),
    median_position: number(row.median_position),
    rating: number(row.rating),
    etv: number(row.etv),
    keywords_count: count(row.keywords_count),
    visibility: number(row.visibility),
    relevant_serp_items: count(row.relevant_serp_items),
    keyword_positions:
      view === "full" && positions
        ? Object.entries(positions).map(([keyword, list]) => ({
            keyword,
            positions: each(list, integer),
          }))
        : undefined,
  };
}

/** An element of a stored result page; an estimate, never billed. */
function storedElement(element: Wire, view: KeywordView, position: number): SerpListElement {
  return serpElement(element, { view, position, isBillable: () => false });
}

/** A rank, read from the ranking element. */
function ranking(value: unknown, view: KeywordView): KeywordRanking | undefined {
  const element = object(value);
  if (!element) return undefined;
  const brief = {
    rank_group: integer(element.rank_group),
    rank_absolute: integer(element.rank_absolute),
    url: text(element.url),
    etv: number(element.etv),
  };
  if (view === "summary") return brief;
  const typed = text(element.type) !== undefined;
  return {
    ...brief,
    position: text(element.position),
    domain: text(element.domain),
    title: text(element.title),
    estimated_paid_traffic_cost: number(element.estimated_paid_traffic_cost),
    element:
      view === "full" && typed
        ? storedElement(element, view, integer(element.rank_absolute) ?? 1)
        : undefined,
  };
}

/** A keyword's figures, which are under `keyword_data` in lists of rankings. */
function keywordOf(row: Wire, view: KeywordView) {
  return keywordRecord(need(object(row.keyword_data), "items[].keyword_data"), view);
}

export function rankedKeyword(row: Wire, view: KeywordView): RankedKeyword {
  const seen = object(row.ranked_serp_element);
  const keyword = keywordOf(row, view);
  const ranks = { ...ranking(seen?.serp_item, view), is_lost: boolean(seen?.is_lost) };
  if (view === "summary") return { ...keyword, ...ranks };
  return {
    ...keyword,
    ...ranks,
    serp_item_types: keyword.serp_item_types ?? texts(seen?.serp_item_types),
    serp_results_count: keyword.serp_results_count ?? count(seen?.se_results_count),
    search_url: keyword.search_url ?? text(seen?.check_url),
    rank_updated_at: time(seen?.last_updated_time),
    previous_rank_updated_at: time(seen?.previous_updated_time),
  };
}

export function relevantPage(row: Wire, view: View): RelevantPage {
  return {
    page_address: need(text(row.page_address), "items[].page_address"),
    metrics: metricsByType(row.metrics, view),
  };
}

export function subdomain(row: Wire, view: View): Subdomain {
  return {
    subdomain: need(text(row.subdomain), "items[].subdomain"),
    metrics: metricsByType(row.metrics, view),
  };
}

export function sharedKeyword(row: Wire, view: KeywordView): SharedKeyword {
  return {
    ...keywordOf(row, view),
    first_domain: ranking(row.first_domain_serp_element, view),
    second_domain: ranking(row.second_domain_serp_element, view),
  };
}

/** A row of an intersection; `intersection_result` is keyed by the number of the page in the request. */
export function pagesKeyword(row: Wire, pages: readonly string[], view: KeywordView): PagesKeyword {
  const page_rankings = numbered(row.intersection_result).flatMap(({ number: which, member }) => {
    const page = pages[which - 1];
    // A single element, or a list of them where the page ranks more than once.
    return (array(member) ?? [member]).flatMap((entry) => {
      const found = ranking(entry, view);
      return page !== undefined && found ? [{ page, ...found }] : [];
    });
  });
  return { ...keywordOf(row, view), page_rankings };
}

export function rankOverview(row: Wire, view: View): RankOverview {
  return {
    location_code: integer(row.location_code),
    language_code: text(row.language_code),
    ...metricsByType(need(object(row.metrics), "items[].metrics"), view),
  };
}

export function rankMonth(row: Wire, view: View): RankMonth {
  return {
    year: need(integer(row.year), "items[].year"),
    month: need(integer(row.month), "items[].month"),
    ...metricsByType(row.metrics, view),
  };
}

/** Months in order, oldest first. */
export function oldestMonthFirst<Row extends { year: number; month: number }>(
  months: readonly Row[],
): Row[] {
  return months.toSorted((a, b) => a.year - b.year || a.month - b.month);
}

export function historicalSerp(row: Wire, view: KeywordView): HistoricalSerp {
  const elements = row.items === null ? [] : (row.items ?? []);
  let position = 0;
  const results = rows(elements, "items[].items", (element) => {
    position += 1;
    return storedElement(element, view, position);
  });
  return {
    observed_at: need(time(row.datetime), "items[].datetime"),
    search_url: text(row.check_url),
    total_results: count(row.se_results_count) || undefined,
    item_types: typesOf(
      row,
      results.map(({ type }) => type),
    ),
    items_count: results.length,
    results,
  };
}

export function trafficByType(value: unknown): TrafficByType {
  return perType(value, (entry) => {
    const holder = object(entry);
    return holder && { etv: number(holder.etv), count: count(holder.count) };
  });
}

export function trafficHistory(value: unknown): TrafficHistory {
  return perType(value, (entry) => {
    if (!array(entry)) return undefined;
    const months = each(entry, (point) => {
      const [year, month] = [integer(at(point, "year")), integer(at(point, "month"))];
      return year === undefined || month === undefined
        ? undefined
        : { year, month, etv: number(at(point, "etv")), count: count(at(point, "count")) };
    });
    return oldestMonthFirst(months);
  });
}

const rankNames: ReadonlySet<string> = new Set([
  "rank_group",
  "rank_absolute",
  "position",
  "domain",
  "title",
  "url",
  "etv",
  "estimated_paid_traffic_cost",
]);
const seenNames: ReadonlyMap<string, string> = new Map([
  ["is_lost", "is_lost"],
  ["rank_updated_at", "last_updated_time"],
  ["previous_rank_updated_at", "previous_updated_time"],
]);

/** The source's name of a field of a ranked keyword in `filters` and `order_by`. */
export function rankedField(name: string): string {
  if (rankNames.has(name)) return `ranked_serp_element.serp_item.${name}`;
  const seen = seenNames.get(name);
  if (seen !== undefined) return `ranked_serp_element.${seen}`;
  return keywordField("keyword_data.", name);
}

/** The source's name of a field of a keyword that domains or numbered pages share. */
export function intersectionField(name: string): string {
  const domain = /^(first|second)_domain\.(.+)$/.exec(name);
  if (domain) return `${domain[1]}_domain_serp_element.${domain[2]}`;
  if (/^[1-9]\d?\./.test(name)) return `intersection_result.${name}`;
  return keywordField("keyword_data.", name);
}
