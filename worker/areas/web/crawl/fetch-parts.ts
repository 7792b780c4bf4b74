import type { FetchSite } from "../../../transport/site.ts";
import type { Parsers } from "../parser.ts";
import type { CrawlDocuments } from "./documents.ts";
import type { KeptFiles } from "./kept-files.ts";
import type { PageThreads } from "./page-threads.ts";
import type { SiteRules } from "./site-rules.ts";

/** Parts that read pages and files of a site by plain HTTP. */
export interface FetchParts {
  fetchSite: FetchSite;
  threads: PageThreads;
  parsers: Parsers;
  siteRules: SiteRules;
  keptFiles: KeptFiles;
  documents: CrawlDocuments;
}
