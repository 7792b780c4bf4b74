/// <reference lib="dom" />
import type { ReadingTools } from "../dom.ts";
import type { DataTable, DataTables } from "./data-tables.ts";
import type { TableCells } from "../table-cells.ts";
import type { PlainText } from "./plain-text.ts";
import type { Allowance, StructuredItem, StructuredItems } from "./structured-items.ts";

/** Statements of a page in machine-readable form, as they stand there. */
export interface StatedData {
  /** Texts of the scripts with JSON-LD. */
  jsonLd: string[];
  microdata: StructuredItem[];
  rdfa: StructuredItem[];
  /** Name and content of each `meta`. */
  metas: [name: string, content: string][];
  /** Names of state, and the script's text from the value on. */
  appState: [name: string, text: string][];
  tables: DataTable[];
  /** HTML of the document where it has a root of microformats that counts; their parser reads the whole document. */
  withMicroformats?: string | undefined;
  /** True where the page has more than is read. */
  isCut: boolean;
}

/** Limits of one page. */
export const statedLimits = {
  characters: 2_000_000,
  elements: 100_000,
  scripts: 500,
  metas: 500,
  html: 4_000_000,
};

export type StatedInput = typeof statedLimits & { withState: boolean };

interface Readers {
  text: PlainText;
  items: StructuredItems;
  tables: DataTables;
  places: TableCells;
}

export type StatedReader = ReturnType<typeof statedReader>;

/** Runs in the page, or on a document without one: reads what the document states in machine-readable form. */
export function statedReader(dom: ReadingTools) {
  const roots =
    ".h-entry, .h-event, .h-product, .h-recipe, .h-review, .h-card, .hentry, .vevent, .hproduct, .hrecipe, .hreview, .vcard";
  const assignment =
    /^\s*(?:window|self|globalThis)(?:\.([A-Za-z_$][\w$]{0,99})|\[["']([\w$]{1,100})["']\])\s*=\s*(?=[[{])/;

  function read(input: StatedInput, given: Readers): StatedData {
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
      const found = [...dom.matching(dom.document, selector)];
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
      return content === undefined
        ? []
        : [[name.trim().slice(0, 200), content] as [string, string]];
    });
    const microdata = given.items.microdata(allowance, given.text);
    const rdfa = given.items.rdfa(allowance, given.text);
    const tables = given.tables.all(allowance, given);

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

    const root = dom.root(dom.document);
    let html = root && dom.querySelector(dom.document, roots) ? dom.outerHtml(root) : undefined;
    if (html !== undefined && html.length > input.html) {
      html = undefined;
      isCut = true;
    }
    return { jsonLd, microdata, rdfa, metas, appState, tables, withMicroformats: html, isCut };
  }

  return { read };
}
