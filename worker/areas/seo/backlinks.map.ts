import type {
  AnchorProfile,
  Backlink,
  BacklinkCompetitor,
  DomainIntersection,
  DomainPage,
  DomainProfile,
  HistoryPoint,
  LinkProfile,
  LinkSummary,
  NetworkProfile,
  NewLostPoint,
  PageIntersection,
  PageProfile,
  TimePoint,
} from "../../../contract/areas/seo/backlinks-records.ts";
import {
  ShapeError,
  type Wire,
  array,
  at,
  boolean,
  count,
  each,
  integer,
  need,
  object,
  text,
} from "#wire";
import {
  counts,
  day,
  mapOf,
  numbered,
  texts,
  time,
} from "../../upstreams/dataforseo/values.map.ts";

export type View = "summary" | "full";

function figures(row: Wire | undefined) {
  return {
    rank: integer(row?.rank),
    backlinks: count(row?.backlinks),
    broken_backlinks: count(row?.broken_backlinks),
    broken_pages: count(row?.broken_pages),
    referring_domains: count(row?.referring_domains),
    referring_domains_nofollow: count(row?.referring_domains_nofollow),
    referring_main_domains: count(row?.referring_main_domains),
    referring_main_domains_nofollow: count(row?.referring_main_domains_nofollow),
    referring_ips: count(row?.referring_ips),
    referring_subnets: count(row?.referring_subnets),
    referring_pages: count(row?.referring_pages),
    referring_pages_nofollow: count(row?.referring_pages_nofollow),
  };
}

function breakdowns(row: Wire | undefined) {
  return {
    referring_links_tld: counts(row?.referring_links_tld),
    referring_links_types: counts(row?.referring_links_types),
    referring_links_attributes: counts(row?.referring_links_attributes),
    referring_links_platform_types: counts(row?.referring_links_platform_types),
    referring_links_semantic_locations: counts(row?.referring_links_semantic_locations),
    referring_links_countries: counts(row?.referring_links_countries),
  };
}

/** Figures of the links to a target; the breakdowns only in the full view. */
export function linkProfile(row: Wire | undefined, view: View): LinkProfile {
  return {
    ...figures(row),
    backlinks_spam_score: integer(row?.backlinks_spam_score),
    first_seen: time(row?.first_seen),
    lost_date: time(row?.lost_date),
    ...(view === "full" ? breakdowns(row) : {}),
  };
}

function crawled(row: Wire) {
  return {
    crawled_pages: count(row.crawled_pages),
    internal_links_count: count(row.internal_links_count),
    external_links_count: count(row.external_links_count),
  };
}

/** `target` is the caller's spelling; the row must also have the upstream's. */
export function linkSummary(result: Wire, target: string, view: View): LinkSummary {
  need(text(result.target), "target");
  const info = object(result.info);
  return {
    target,
    view,
    ...linkProfile(result, view),
    ...crawled(result),
    info: info && {
      server: text(info.server),
      cms: text(info.cms),
      platform_types: texts(info.platform_type),
      ip_address: text(info.ip_address),
      country: text(info.country),
      is_ip: boolean(info.is_ip),
      spam_score: integer(info.target_spam_score),
    },
  };
}

function deltas(row: Wire) {
  return {
    new_backlinks: count(row.new_backlinks),
    lost_backlinks: count(row.lost_backlinks),
    new_referring_domains: count(row.new_referring_domains),
    lost_referring_domains: count(row.lost_referring_domains),
  };
}

export function historyPoint(row: Wire, view: View): HistoryPoint {
  return {
    date: need(day(row.date), "items[].date"),
    ...figures(row),
    ...crawled(row),
    ...deltas(row),
    ...(view === "full" ? breakdowns(row) : {}),
  };
}

export function timePoint(row: Wire): TimePoint {
  const { broken_backlinks: _links, broken_pages: _pages, ...known } = figures(row);
  return {
    date: need(day(row.date), "items[].date"),
    ...known,
    backlinks_nofollow: count(row.backlinks_nofollow),
  };
}

export function newLostPoint(row: Wire): NewLostPoint {
  return {
    date: need(day(row.date), "items[].date"),
    ...deltas(row),
    new_referring_main_domains: count(row.new_referring_main_domains),
    lost_referring_main_domains: count(row.lost_referring_main_domains),
  };
}

export function oldestFirst<Point extends { date: string }>(points: Point[]): Point[] {
  return points.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
}

export function backlink(row: Wire, view: View): Backlink {
  const known = {
    domain_from: text(row.domain_from),
    url_from: need(text(row.url_from), "items[].url_from"),
    domain_to: text(row.domain_to),
    url_to: text(row.url_to),
    is_new: boolean(row.is_new),
    is_lost: boolean(row.is_lost),
    is_broken: boolean(row.is_broken),
    dofollow: boolean(row.dofollow),
    backlink_spam_score: integer(row.backlink_spam_score),
    rank: integer(row.rank),
    page_from_rank: integer(row.page_from_rank),
    domain_from_rank: integer(row.domain_from_rank),
    page_from_title: text(row.page_from_title),
    first_seen: time(row.first_seen),
    last_seen: time(row.last_seen),
    item_type: text(row.item_type),
    anchor: text(row.anchor),
  };
  return view === "summary" ? known : { ...known, ...details(row) };
}

function details(row: Wire): Omit<Backlink, "url_from"> {
  const keywords = object(row.ranked_keywords_info);
  return {
    url_from_https: boolean(row.url_from_https),
    url_to_https: boolean(row.url_to_https),
    tld_from: text(row.tld_from),
    original: boolean(row.original),
    domain_from_platform_type: texts(row.domain_from_platform_type),
    domain_from_is_ip: boolean(row.domain_from_is_ip),
    domain_from_ip: text(row.domain_from_ip),
    domain_from_country: text(row.domain_from_country),
    page_from_external_links: count(row.page_from_external_links),
    page_from_internal_links: count(row.page_from_internal_links),
    page_from_size: count(row.page_from_size),
    page_from_encoding: text(row.page_from_encoding),
    page_from_language: text(row.page_from_language),
    page_from_status_code: integer(row.page_from_status_code),
    prev_seen: time(row.prev_seen),
    attributes: row.attributes === null ? [] : texts(row.attributes),
    alt: text(row.alt),
    image_url: text(row.image_url),
    text_pre: text(row.text_pre),
    text_post: text(row.text_post),
    semantic_location: text(row.semantic_location),
    links_count: count(row.links_count),
    group_count: count(row.group_count),
    url_to_status_code: integer(row.url_to_status_code),
    url_to_spam_score: integer(row.url_to_spam_score),
    url_to_redirect_target: text(row.url_to_redirect_target),
    is_indirect_link: boolean(row.is_indirect_link),
    indirect_link_path: array(row.indirect_link_path) && each(row.indirect_link_path, step),
    ranked_keywords_info: keywords && {
      page_from_keywords_count_top_3: count(keywords.page_from_keywords_count_top_3),
      page_from_keywords_count_top_10: count(keywords.page_from_keywords_count_top_10),
      page_from_keywords_count_top_100: count(keywords.page_from_keywords_count_top_100),
    },
  };
}

function step(entry: unknown) {
  const url = text(at(entry, "url"));
  if (url === undefined) return undefined;
  return { type: text(at(entry, "type")), status_code: integer(at(entry, "status_code")), url };
}

/** A row of anchors. Links without text have no anchor, so the figures identify a row. */
export function anchorProfile(row: Wire, view: View): AnchorProfile {
  if (count(row.backlinks) === undefined) throw new ShapeError("items[].backlinks");
  return { anchor: text(row.anchor), ...linkProfile(row, view) };
}

/** A competitor; `target` is the competing domain. */
export function competitor(row: Wire): BacklinkCompetitor {
  return {
    target: need(text(row.target), "items[].target"),
    rank: integer(row.rank),
    intersections: count(row.intersections),
  };
}

export function pageProfile(row: Wire, view: View): PageProfile {
  return { url: need(text(row.url), "items[].url"), ...linkProfile(row, view) };
}

export function domainProfile(row: Wire, view: View): DomainProfile {
  return { domain: need(text(row.domain), "items[].domain"), ...linkProfile(row, view) };
}

export function networkProfile(row: Wire, view: View): NetworkProfile {
  const { backlinks_spam_score: _score, ...known } = linkProfile(row, view);
  return { network_address: need(text(row.network_address), "items[].network_address"), ...known };
}

export function domainPage(row: Wire, view: View): DomainPage {
  const meta = object(row.meta);
  return {
    url: need(text(row.page), "items[].page"),
    domain: text(row.domain),
    main_domain: text(row.main_domain),
    tld: text(row.tld),
    ip: text(row.ip),
    title: text(meta?.title),
    first_visited: time(row.first_visited),
    prev_visited: time(row.prev_visited),
    fetch_time: time(row.fetch_time),
    status_code: integer(row.status_code),
    location: text(row.location),
    size: count(row.size),
    encoded_size: count(row.encoded_size),
    media_type: text(row.media_type),
    content_encoding: text(row.content_encoding),
    server: text(row.server),
    meta: view === "full" && meta ? pageMeta(meta) : undefined,
    ...linkProfile(object(row.page_summary), view),
  };
}

function pageMeta(meta: Wire): NonNullable<DomainPage["meta"]> {
  const technologies = mapOf(object(meta.technologies), (group) => mapOf(object(group), texts));
  return {
    canonical: text(meta.canonical),
    internal_links_count: count(meta.internal_links_count),
    external_links_count: count(meta.external_links_count),
    images_count: count(meta.images_count),
    words_count: count(meta.words_count),
    spam_score: integer(meta.page_spam_score) ?? integer(meta.spam_score),
    language: text(meta.language),
    charset: text(meta.charset) ?? integer(meta.charset)?.toString(),
    h1: texts(at(meta, "htags", "h1")) ?? texts(meta.h1),
    h2: texts(at(meta, "htags", "h2")) ?? texts(meta.h2),
    h3: texts(at(meta, "htags", "h3")) ?? texts(meta.h3),
    platform_types: texts(meta.platform_type),
    technologies,
    social_media_tags: mapOf(object(meta.social_media_tags), text),
  };
}

const profileNames: ReadonlySet<string> = new Set(Object.keys(linkProfile(undefined, "full")));
const pageNames: ReadonlyMap<string, string> = new Map([
  ["url", "page"],
  ["title", "meta.title"],
  ["meta.platform_types", "meta.platform_type"],
  ["meta.spam_score", "meta.page_spam_score"],
]);

/** The source's name of a field of a domain's page in `filters` and `order_by`; other names stay unchanged. */
export function pageField(name: string): string {
  const [first = ""] = name.split(".");
  return profileNames.has(first) ? `page_summary.${name}` : (pageNames.get(name) ?? name);
}

/** A row of an intersection; `domain_intersection` is keyed by the number of the target in the request. */
export function domainIntersection(
  row: Wire,
  targets: readonly string[],
  view: View,
): DomainIntersection {
  const found = numbered(row.domain_intersection).flatMap(({ number, member }) => {
    const inner = object(member);
    const target = targets[number - 1];
    return inner && target !== undefined ? [{ inner, target }] : [];
  });
  return {
    // Inside an intersection `target` is the linking domain.
    domain: need(
      found.map(({ inner }) => text(inner.target)).find((domain) => domain !== undefined),
      "items[].domain_intersection.*.target",
    ),
    intersections_count: count(at(row, "summary", "intersections_count")),
    referring_to: found.map(({ inner, target }) => ({ target, metrics: linkProfile(inner, view) })),
  };
}

/** Like `domainIntersection`, but each number has a list of links. */
export function pageIntersection(
  row: Wire,
  targets: readonly string[],
  view: View,
): PageIntersection {
  const links_to = numbered(row.page_intersection).flatMap(({ number, member }) => {
    const target = targets[number - 1];
    const links = each(member, (entry) => {
      const inner = object(entry);
      return inner && text(inner.url_from) !== undefined ? backlink(inner, view) : undefined;
    });
    return target !== undefined && links.length > 0 ? [{ target, links }] : [];
  });
  const first = links_to[0]?.links[0];
  return {
    url_from: need(first?.url_from, "items[].page_intersection.*[].url_from"),
    domain_from: first?.domain_from,
    intersections_count: count(at(row, "summary", "intersections_count")),
    links_to,
  };
}
