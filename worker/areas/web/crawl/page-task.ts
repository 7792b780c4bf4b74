import type { CrawlFound, CrawlLink, CrawlTask } from "../../../../runtime/crawl.ts";
import type { plainFormats } from "../../../../contract/areas/web/fetch.ts";
import type { Part } from "../site-parts.ts";
import type { ExtractRefusal, PlainExtractInput } from "../plain-extract.ts";

/** Tasks of the threads that read pages by plain HTTP, and their results. */

export interface PageTask {
  kind: "page";
  bytes: Uint8Array;
  /** As the header states it. */
  contentType: string;
  /** Address and status of the page. */
  url: string;
  status: number;
  /** Its X-Robots-Tag; empty where it has none. */
  robotsTag: string;
  formats: readonly (typeof plainFormats)[number][];
  /** Options of the format extract. */
  extract: PlainExtractInput;
  /** Markdown has only the main content. */
  mainContentOnly: boolean;
  /** Set for a page of a crawl, with the text of its site's robots.txt. */
  crawl?: (CrawlTask & { robots: string; agent: string }) | undefined;
}

/** Links of a rendered page. */
export interface LinksTask {
  kind: "links";
  url: string;
  links: readonly string[];
  canonical: string | undefined;
  /** Names the content of the page. */
  content: string;
  crawl: CrawlTask & { robots: string; agent: string };
}

/** Addresses of a sitemap. */
export interface EntriesTask {
  kind: "entries";
  base: string;
  part: Part;
  crawl: CrawlTask & { robots: string; agent: string };
}

/** Whether robots.txt lets the agent fetch the address, and its delay in seconds. */
export interface AllowedTask {
  kind: "allowed";
  url: string;
  robots: string;
  agent: string;
}

export type CrawlThreadTask = PageTask | LinksTask | EntriesTask | AllowedTask;

/** The page in its forms, as `web.fetch` returns it. */
export interface ReadPage {
  forms: Record<string, unknown>;
  found: CrawlFound | undefined;
  /** Set where the page cannot be read as the caller requested. */
  refusal?: ExtractRefusal | undefined;
}

export interface CrawlThreadResults {
  page: ReadPage;
  links: CrawlFound;
  entries: CrawlLink[];
  allowed: { isAllowed: boolean; delay: number | undefined; sitemaps: string[] };
}
