/// <reference lib="dom" />
import type { DomTools } from "../dom.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { dataTables } from "./data-tables.ts";
import type { DataTable, DataTables } from "./data-tables.ts";
import { firstSight, readOnceShown } from "./first-text.ts";
import type { FirstSight, Glance } from "./first-text.ts";
import { evaluate } from "./isolated-world.ts";
import { plainText } from "./plain-text.ts";
import type { PlainText } from "./plain-text.ts";
import { structuredItems } from "./structured-items.ts";
import type { Allowance, StructuredItem, StructuredItems } from "./structured-items.ts";
import { pageProgress } from "./unfinished.ts";
import type { PageProgress } from "./unfinished.ts";

/** Statements of a page in machine-readable form, as they stand there. */
export interface StructuredData {
  url: string;
  /** Texts of the scripts with JSON-LD. */
  jsonLd: string[];
  microdata: StructuredItem[];
  rdfa: StructuredItem[];
  /** Name and content of each `meta`. */
  metas: [name: string, content: string][];
  /** Names of state, and the script's text from the value on. */
  appState: [name: string, text: string][];
  tables: DataTable[];
  /** True where the page has more than is read. */
  isCut: boolean;
}

const limits = { characters: 2_000_000, elements: 100_000, scripts: 500, metas: 500 };
type Input = typeof limits & { withState: boolean; timerEvent: string };

const parts = {
  sight: firstSight,
  progress: pageProgress,
  text: plainText,
  items: structuredItems,
  tables: dataTables,
};

/** Reads the page's structured data; application state only when it is requested, because it is large. */
export async function readStructuredData(
  page: RenderedPage,
  withState: boolean,
): Promise<StructuredData> {
  const input: Input = { ...limits, withState, timerEvent };
  const read = () => evaluate(page.tab, structuredData, input, page.timeLeft(), parts);
  return readOnceShown(page, read, (found) => found);
}

/** Runs in the page. */
function structuredData(
  dom: DomTools,
  input: Input,
  given: {
    sight: FirstSight;
    progress: PageProgress;
    text: PlainText;
    items: StructuredItems;
    tables: DataTables;
  },
): StructuredData & Glance {
  let characters = input.characters;
  let elements = input.elements;
  let isCut = false;
  const allowance: Allowance = {
    keep(text) {
      if (!text) return undefined;
      if (text.length > characters) {
        isCut = true;
        return undefined;
      }
      characters -= text.length;
      return text;
    },
    visit() {
      elements -= 1;
      if (elements < 0) isCut = true;
      return elements >= 0;
    },
    cut() {
      isCut = true;
    },
  };
  const some = (selector: string, most: number) => {
    const found = [...dom.matching(document, selector)];
    if (found.length > most) isCut = true;
    return found.slice(0, most);
  };

  const scripts = some("script:not([src])", input.scripts).map((element) => ({
    element,
    type: (dom.attribute(element, "type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "",
  }));
  const jsonLd = scripts
    .filter(({ type }) => type === "application/ld+json")
    .map(({ element }) => allowance.keep(dom.textContent(element)))
    .filter((text) => text !== undefined);
  const metas = some("meta[content]:is([property], [name])", input.metas).flatMap((element) => {
    const content = allowance.keep(dom.attribute(element, "content")?.trim());
    const name = dom.attribute(element, "property") ?? dom.attribute(element, "name") ?? "";
    return content === undefined ? [] : [[name.trim().slice(0, 200), content] as [string, string]];
  });
  const microdata = given.items.microdata(allowance, given.text);
  const rdfa = given.items.rdfa(allowance, given.text);
  const tables = given.tables.all(allowance, given.text);

  const assignment =
    /^\s*(?:window|self|globalThis)(?:\.([A-Za-z_$][\w$]{0,99})|\[["']([\w$]{1,100})["']\])\s*=\s*(?=[[{])/;
  const appState: [string, string][] = [];
  for (const { element, type } of input.withState ? scripts : []) {
    const whole = dom.textContent(element) ?? "";
    if (type === "application/json") {
      const name = dom.attribute(element, "id");
      const text = name ? allowance.keep(whole) : undefined;
      if (name && text) appState.push([name.slice(0, 100), text]);
    } else if (type === "" || type === "text/javascript") {
      const found = assignment.exec(whole);
      const text = found ? allowance.keep(whole.slice(found[0].length)) : undefined;
      if (found && text) appState.push([found[1] ?? found[2] ?? "", text]);
    }
  }

  return {
    url: location.href,
    jsonLd,
    microdata,
    rdfa,
    metas,
    appState,
    tables,
    isCut,
    shows: given.sight.anything(),
    ...given.progress.glance(input.timerEvent),
  };
}
