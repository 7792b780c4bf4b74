import type { CrawlLink, CrawlRules, CrawlStep } from "../../../../runtime/crawl.ts";
import { siteOf } from "../../../browser/page/site-of.ts";
import { formOf, isFile, isTrap, mostRun, normalise } from "./address.ts";
import { compile } from "./patterns.ts";

/** Addresses that belong to a crawl. */
export class Scope {
  readonly #rules: CrawlRules;
  readonly #isIncluded: (address: string) => boolean;
  readonly #isExcluded: (address: string) => boolean;

  constructor(rules: CrawlRules) {
    this.#rules = rules;
    this.#isIncluded = compile(rules.include);
    this.#isExcluded = compile(rules.exclude);
  }

  /** Whether the address is of the crawled site. */
  isHere(address: string): boolean {
    const { start, scope } = this.#rules;
    return scope === "subdomains"
      ? siteOf(address) === siteOf(start)
      : hostOf(address) === hostOf(start);
  }

  matches(address: string): boolean {
    if (this.#rules.include.length > 0 && !this.#isIncluded(address)) return false;
    return !this.#isExcluded(address);
  }

  /** Whether an address of a link or a sitemap is to be crawled, as far as it shows itself. */
  admits(address: string): boolean {
    return this.isHere(address) && !isFile(address) && !isTrap(address) && this.matches(address);
  }

  /** The links of a page that are to be crawled, each once. */
  linksFrom(page: string, found: readonly string[], step: CrawlStep): CrawlLink[] {
    if (this.#rules.source === "sitemap" || step.depth >= this.#rules.maxDepth) return [];
    const form = formOf(page);
    const links = new Map<string, CrawlLink>();
    for (const text of found) {
      const url = normalise(text, page);
      if (url === undefined || links.has(url) || !this.admits(url)) continue;
      const run = formOf(url) === form ? step.run + 1 : 0;
      if (run <= mostRun) links.set(url, [url, 0, step.depth + 1, run]);
    }
    return [...links.values()];
  }

  /** Pages that a sitemap names: each counts as a start. */
  pagesOf(
    entries: readonly (readonly [string, string | undefined])[],
    base: string,
    isOld: (changed: string | undefined) => boolean,
  ): CrawlLink[] {
    const links = new Map<string, CrawlLink>();
    for (const [text, changed] of entries) {
      const url = normalise(text, base);
      if (url === undefined || links.has(url) || isOld(changed) || !this.admits(url)) continue;
      links.set(url, [url, 0, 0, 0]);
    }
    return [...links.values()];
  }
}

/** A site often has its pages with and without `www.`. */
const hostOf = (address: string) => new URL(address).host.replace(/^www\./, "");
