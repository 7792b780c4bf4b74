import type { CrawlLink, CrawlRules, CrawlStep } from "../../../../runtime/crawl.ts";
import { siteOf } from "../../../browser/page/site-of.ts";
import { formOf, isFile, isTrap, mostRun, normalise } from "./address.ts";
import { compile } from "./patterns.ts";

/**
 * Characters of the addresses that one page or part of a sitemap adds: five times those of a page with thousands of
 * links. They pass through Redis, the API's thread and one statement.
 */
export const mostCharacters = 1_000_000;

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
    return this.mayBePage(address) && this.matches(address);
  }

  /** Whether the address may be a page of the site, wanted or not. */
  mayBePage(address: string): boolean {
    return this.isHere(address) && !isFile(address) && !isTrap(address);
  }

  /** The links of a page that are to be crawled, each once. */
  linksFrom(page: string, found: readonly string[], step: CrawlStep): CrawlLink[] {
    if (this.#rules.source === "sitemap" || step.depth >= this.#rules.maxDepth) return [];
    const form = formOf(page);
    const links = new Links();
    for (const text of found) {
      const url = normalise(text, page);
      if (url === undefined || links.has(url) || !this.admits(url)) continue;
      const run = formOf(url) === form ? step.run + 1 : 0;
      if (run <= mostRun && !links.add([url, 0, step.depth + 1, run])) break;
    }
    return links.all();
  }

  /** Pages that a sitemap names: each counts as a start. */
  pagesOf(
    entries: readonly (readonly [string, string | undefined])[],
    base: string,
    isOld: (changed: string | undefined) => boolean,
  ): CrawlLink[] {
    const links = new Links();
    for (const [text, changed] of entries) {
      const url = normalise(text, base);
      if (url === undefined || links.has(url) || isOld(changed) || !this.admits(url)) continue;
      if (!links.add([url, 0, 0, 0])) break;
    }
    return links.all();
  }
}

/** A site often has its pages with and without `www.`. */
const hostOf = (address: string) => new URL(address).host.replace(/^www\./, "");

/** Addresses, each once. */
class Links {
  readonly #links = new Map<string, CrawlLink>();
  #characters = 0;

  has(url: string): boolean {
    return this.#links.has(url);
  }

  /** False when no further one is added. */
  add(link: CrawlLink): boolean {
    this.#characters += link[0].length;
    if (this.#characters > mostCharacters) return false;
    this.#links.set(link[0], link);
    return true;
  }

  all(): CrawlLink[] {
    return [...this.#links.values()];
  }
}
