import type { Vary } from "./vary.ts";

export const countries = ["US", "DE", "BR", "JP", "GB"];
export const words = [
  "harbour",
  "lantern",
  "meadow",
  "granite",
  "willow",
  "copper",
  "saffron",
  "drift",
];

const pad = (number: number) => String(number).padStart(2, "0");
/** A time in the upstream's format. */
export function moment(v: Vary, name: string, year: number): string {
  const part = (what: string, least: number, most: number) =>
    pad(v.int(`${name}:${what}`, least, most));
  return `${year}-${part("month", 1, 12)}-${part("day", 1, 28)} ${part("hour", 0, 23)}:${part("minute", 0, 59)}:${part("second", 0, 59)} +00:00`;
}

export const site = (v: Vary, index: number) => `${v.pick("site", words)}-${index + 1}.example`;

function spread(v: Vary, name: string, names: readonly string[]): Record<string, number> {
  return Object.fromEntries(names.map((key) => [key, v.int(`${name}:${key}`, 1, 900)]));
}

export function figures(v: Vary) {
  const domains = v.int("domains", 1, 4000);
  const pages = domains + v.int("pages", 0, 9000);
  return {
    rank: v.int("rank", 0, 900),
    backlinks: pages + v.int("backlinks", 0, 30_000),
    broken_backlinks: v.int("broken", 0, 40),
    broken_pages: v.int("broken pages", 0, 9),
    referring_domains: domains,
    referring_domains_nofollow: Math.floor(domains / 7),
    referring_main_domains: Math.ceil(domains * 0.9),
    referring_main_domains_nofollow: Math.floor(domains / 8),
    referring_ips: Math.ceil(domains * 0.8),
    referring_subnets: Math.ceil(domains * 0.7),
    referring_pages: pages,
    referring_pages_nofollow: Math.floor(pages / 5),
  };
}

/** Breakdowns; a null map, and the name "" for unknown, are ordinary. */
export function breakdowns(v: Vary, bare: boolean) {
  return {
    referring_links_tld: spread(v, "tld", ["com", "net", "co.uk", "example"]),
    referring_links_types: spread(v, "types", ["anchor", "image", "redirect"]),
    referring_links_attributes: bare ? null : spread(v, "attributes", ["nofollow", "noopener"]),
    referring_links_platform_types: spread(v, "platforms", ["blogs", "cms", "unknown"]),
    referring_links_semantic_locations: spread(v, "locations", ["", "article", "footer"]),
    referring_links_countries: spread(v, "countries", ["", "US", "DE", "WW"]),
  };
}

export function profile(v: Vary, index: number) {
  return {
    ...figures(v),
    first_seen: moment(v, "first seen", 2021),
    lost_date: index % 4 === 1 ? moment(v, "lost", 2025) : null,
    backlinks_spam_score: v.int("spam", 0, 60),
    ...breakdowns(v, index % 3 === 2),
  };
}

export const crawled = (v: Vary) => ({
  crawled_pages: v.int("crawled", 1, 5000),
  internal_links_count: v.int("internal", 0, 60_000),
  external_links_count: v.int("external", 0, 9000),
});
