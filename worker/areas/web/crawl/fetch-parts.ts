import type { FetchSite } from "../../../transport/site.ts";
import type { Parsers } from "../parser.ts";
import type { PageThreads } from "./page-threads.ts";
import type { SiteRules } from "./site-rules.ts";

/** What reading pages and files of a site by plain HTTP needs. */
export interface FetchParts {
  fetchSite: FetchSite;
  threads: PageThreads;
  parsers: Parsers;
  siteRules: SiteRules;
}
