import type { web as area } from "../../../contract/areas/web/index.ts";
import type { Mode } from "../../../contract/mode.ts";
import type { Connector } from "../../connector.ts";
import { Documents } from "../../documents/documents.ts";
import type { FetchSite } from "../../transport/site.ts";
import { CrawlDocuments } from "./crawl/documents.ts";
import type { FetchParts } from "./crawl/fetch-parts.ts";
import { KeptFiles } from "./crawl/kept-files.ts";
import { PageThreads } from "./crawl/page-threads.ts";
import { SiteRules } from "./crawl/site-rules.ts";
import { fetchPage } from "./fetch.ts";
import { Parsers } from "./parser.ts";
import { samplePages } from "./samples.ts";

/** The parts that read pages without Chromium. The rules of a sample site are not those of the site. */
export function plainParts(documents: Documents): {
  parsers: Parsers;
  of(mode: Mode): Omit<FetchParts, "fetchSite">;
} {
  const shared = {
    threads: new PageThreads(),
    parsers: new Parsers(),
    documents: new CrawlDocuments(documents),
  };
  const parts = {
    live: { ...shared, siteRules: new SiteRules(), keptFiles: new KeptFiles() },
    test: { ...shared, siteRules: new SiteRules(), keptFiles: new KeptFiles() },
  };
  return { parsers: shared.parsers, of: (mode) => parts[mode] };
}

/** The operations that need no Chromium, for workers without one too. In test mode pages are samples. */
export function plainConnector(
  fetchSite: FetchSite,
  parts = plainParts(new Documents()),
): Pick<Connector<typeof area>, "web.fetch"> {
  return {
    "web.fetch": (input, call) => {
      const { mode, scenario } = call;
      const site = mode === "test" ? samplePages(scenario === "empty") : fetchSite;
      return fetchPage({ ...parts.of(mode), fetchSite: site }, input, call);
    },
  };
}
