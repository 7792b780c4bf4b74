import type { web as area } from "../../../contract/areas/web/index.ts";
import type { BrowserPool } from "../../browser/chromium/pool.ts";
import { renderPage } from "../../browser/page/page-job.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import { checkSelectors } from "../../browser/page/selected-values.ts";
import type { Connector } from "../../connector.ts";
import { readExtract, readPageMetadata, snapshot, valueSelectors } from "./snapshot.ts";

/** Web operations on a running pool; those on pages are the same in live and test mode. */
export function webConnector(pool: BrowserPool): Connector<typeof area> {
  return {
    "web.metadata": (input, call) => renderPage(pool, input, call, readPageMetadata),

    "web.extract": (input, call) =>
      renderPage(
        pool,
        input,
        call,
        async (page) => withinResultLimit(await readExtract(page, input)),
        { prepare: (tab) => checkSelectors(tab, valueSelectors(input)), isPicture: false },
      ),

    "web.snapshot": (input, call) => snapshot(pool, input, call),
  };
}
