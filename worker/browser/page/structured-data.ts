/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import { type TableCells, tableCells } from "../table-cells.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { dataTables } from "./data-tables.ts";
import type { DataTables } from "./data-tables.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight, Glance } from "./first-text.ts";
import { evaluate } from "./isolated-world.ts";
import { plainText } from "./plain-text.ts";
import type { PlainText } from "./plain-text.ts";
import { statedLimits, statedReader } from "./stated-data.ts";
import type { StatedData, StatedInput, StatedReader } from "./stated-data.ts";
import { structuredItems } from "./structured-items.ts";
import type { StructuredItems } from "./structured-items.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";

/** Statements of a rendered page in machine-readable form. */
export interface StructuredData extends StatedData {
  url: string;
}

type Input = StatedInput & { timerEvent: string };

const parts = {
  sight: firstSight,
  progress: pageProgress,
  text: plainText,
  items: structuredItems,
  tables: dataTables,
  places: tableCells,
  stated: statedReader,
};

/** Reads the page's structured data; application state only when it is requested, because it is large. */
export async function readStructuredData(
  page: RenderedPage,
  withState: boolean,
): Promise<StructuredData> {
  const input: Input = { ...statedLimits, withState, timerEvent };
  const read = () => evaluate(page.tab, structuredData, input, page.timeLeft(), parts);
  return readOnceShown(page, read, (found) => found);
}

/** Runs in the page. */
function structuredData(
  _dom: DomTools,
  input: Input,
  given: {
    sight: FirstSight;
    progress: PageProgress;
    text: PlainText;
    items: StructuredItems;
    tables: DataTables;
    places: TableCells;
    stated: StatedReader;
  },
): StructuredData & Glance {
  return {
    url: location.href,
    ...given.stated.read(input, given),
    shows: given.sight.anything(),
    ...given.progress.glance(input.timerEvent),
  };
}
