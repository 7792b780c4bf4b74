import type { CrawlRules } from "../../../runtime/crawl.ts";

/** Rules of a crawl of one host from this address, but for the given ones. */
export const crawlRules = (start: string, more: Partial<CrawlRules> = {}): CrawlRules => ({
  start,
  scope: "host",
  source: "all",
  include: [],
  exclude: [],
  maxDepth: 20,
  obeysRobots: false,
  skipsDuplicates: true,
  mainContentOnly: false,
  ...more,
});
