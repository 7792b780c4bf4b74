/** Messages between a crawl's items and the workers that carry them out. */

/** Rules of a crawl, which a worker gets beside the input of an item. */
export interface CrawlRules {
  /** Address that the crawl begins at. */
  start: string;
  scope: "host" | "subdomains";
  source: "all" | "sitemap" | "links";
  include: readonly string[];
  exclude: readonly string[];
  maxDepth: number;
  /** Pages whose last change is earlier are left out; ISO 8601. */
  modifiedSince?: string | undefined;
  obeysRobots: boolean;
  /** The Markdown of a page has only its main content. */
  mainContentOnly: boolean;
  /** Pages with the canonical address or the content of another one count as that page. */
  skipsDuplicates: boolean;
}

/** Place of an item in its crawl. */
export interface CrawlStep {
  /** 0: a page; 1: a file of the site, which is robots.txt for the first item, else a sitemap. */
  kind: 0 | 1;
  /** Links from the start to here. */
  depth: number;
  /** Links of the same form that led here, one after another. */
  run: number;
}

export interface CrawlTask extends CrawlStep {
  rules: CrawlRules;
}

/** An address to crawl: normalised, with the members of `CrawlStep`. */
export type CrawlLink = [url: string, kind: 0 | 1, depth: number, run: number];

/** Addresses and names that one item found. */
export interface CrawlFound {
  links: CrawlLink[];
  /** Names of the page: its address, and its content. A page that shares one with an earlier page is that page. */
  keys: string[];
  /** Why there is no page to deliver; `file` for robots.txt and sitemaps, which are none. */
  drop?: "file" | "robots" | "scope" | "pattern" | "type" | "unchanged" | undefined;
  /** Milliseconds between two requests, as robots.txt states. */
  delay_ms?: number | undefined;
}
