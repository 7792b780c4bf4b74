import type { web as area } from "../../../contract/areas/web/index.ts";
import type { BrowserPool } from "../../browser/chromium/pool.ts";
import { renderPage } from "../../browser/page/page-job.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import { checkSelectors } from "../../browser/page/selected-values.ts";
import type { Call, Connector } from "../../connector.ts";
import type { Documents } from "../../documents/documents.ts";
import type { FetchSite } from "../../transport/site.ts";
import { renderedPage } from "./crawl/rendered.ts";
import { feed } from "./feed.ts";
import { map } from "./map.ts";
import { plainConnector, plainParts } from "./plain.ts";
import { robots } from "./robots.ts";
import { sampleDocument, sampleSite } from "./samples.ts";
import { readExtract, readPageMetadata, snapshot, valueSelectors } from "./snapshot.ts";
import { text } from "./text.ts";

/** Web operations on a running pool. Pages are rendered in test mode too; files of sites are samples there. */
export function webConnector(
  pool: BrowserPool,
  fetchSite: FetchSite,
  documents: Documents,
): Connector<typeof area> {
  const plain = plainParts(documents);
  const { parsers } = plain;
  const sites = ({ mode, scenario }: Call) =>
    mode === "test" ? sampleSite(scenario === "empty") : fetchSite;
  return {
    ...plainConnector(fetchSite, plain),

    "web.metadata": (input, call) => renderPage(pool, input, call, readPageMetadata),

    "web.extract": (input, call) =>
      renderPage(
        pool,
        input,
        call,
        async (page) => withinResultLimit(await readExtract(page, input, parsers, call)),
        { prepare: (tab) => checkSelectors(tab, valueSelectors(input)), isPicture: false },
      ),

    "web.snapshot": (input, call) => {
      const { crawl } = call;
      if (!crawl) return snapshot(pool, parsers, input, call);
      const parts = { ...plain.of(call.mode), fetchSite: sites(call) };
      return renderedPage(parts, input, crawl, call, (whole, note) =>
        snapshot(pool, parsers, whole, call, note),
      );
    },

    "web.robots": (input, call) => robots(sites(call), parsers, input, call),

    "web.feed": (input, call) => feed(sites(call), parsers, input, call),

    "web.map": (input, call) => map(sites(call), parsers, input, call),

    "web.text": (input, call) => {
      const { mode, scenario } = call;
      const site = mode === "test" ? sampleDocument(scenario === "empty") : fetchSite;
      return text(site, documents, input, call);
    },
  };
}
