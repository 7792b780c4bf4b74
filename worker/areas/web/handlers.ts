import type { web as area } from "../../../contract/areas/web/index.ts";
import type { BrowserPool } from "../../browser/chromium/pool.ts";
import { readMetadata } from "../../browser/page/metadata.ts";
import { renderPage } from "../../browser/page/page-job.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import { checkSelectors, readSelected } from "../../browser/page/selected-values.ts";
import { readStatements } from "../../browser/page/statements.ts";
import { readStructuredData } from "../../browser/page/structured-data.ts";
import type { Connector } from "../../connector.ts";
import { extractedOf } from "./extract.map.ts";
import { metadataOf } from "./metadata.map.ts";

/** Web operations on a running pool; those on pages are the same in live and test mode. */
export function webConnector(pool: BrowserPool): Connector<typeof area> {
  return {
    "web.metadata": (input, call) =>
      renderPage(pool, input, call, async (page, document) => {
        const stated = await readStatements(page);
        const { metadata } = await readMetadata(page, document);
        return metadataOf(stated, metadata);
      }),

    "web.extract": (input, call) => {
      const selectors = input.selectors.map((one) => ({ ...one, isUrl: one.type === "url" }));
      return renderPage(
        pool,
        input,
        call,
        async (page) => {
          const data = await readStructuredData(page, input.include_source);
          const selected = await readSelected(page, selectors);
          const withSource = input.include_source;
          return withinResultLimit(
            extractedOf(data, { selectors: input.selectors, selected, withSource }),
          );
        },
        { prepare: (tab) => checkSelectors(tab, selectors), isPicture: false },
      );
    },
  };
}
