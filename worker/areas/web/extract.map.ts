import { defined } from "#wire";
import { parseAssigned, parseWhole } from "./json-text.map.ts";
import { type MicroformatItem, thingsOfMicroformats } from "./microformats.map.ts";
import { openGraphRecords, type Metas } from "./open-graph.map.ts";
import type { Extracted } from "./placed.map.ts";
import { recordsOf } from "./records.map.ts";
import { selectedOf, type Selector } from "./selected.map.ts";
import { type Item, thingOfItem, thingsOfJsonLd } from "./things.map.ts";

/** The page's reader returns this. */
interface Read {
  url: string;
  jsonLd: readonly string[];
  microdata: readonly Item[];
  rdfa: readonly Item[];
  microformats: readonly MicroformatItem[];
  metas: Metas;
  appState: readonly (readonly [name: string, text: string])[];
  tables: Extracted["tables"];
  isCut: boolean;
}

/** Makes the answer of `web.extract` from what a page states. */
export function extractedOf(
  page: Read,
  options: {
    selectors: readonly Selector[];
    selected: readonly (readonly (string | null)[])[];
    withSource: boolean;
  },
): Extracted {
  const documents = page.jsonLd.map(parseWhole).filter((document) => document !== undefined);
  const things = [
    ...documents.flatMap(thingsOfJsonLd),
    ...page.microdata.map((item) => thingOfItem(item, "microdata")),
    ...page.rdfa.map((item) => thingOfItem(item, "rdfa")),
    ...thingsOfMicroformats(page.microformats),
  ];
  const { isCut, ...lists } = recordsOf(things, page.url);
  const graph = openGraphRecords(page.metas, page.url);
  return defined({
    url: page.url,
    ...lists,
    articles: [...lists.articles, ...graph.articles],
    products: [...lists.products, ...graph.products],
    tables: page.tables,
    ...selectedOf(options.selectors, options.selected),
    extras: options.withSource ? sourceOf(page, documents) : undefined,
    is_cut: page.isCut || isCut ? (true as const) : undefined,
  });
}

function sourceOf(page: Read, documents: readonly unknown[]): Record<string, unknown> {
  const state = page.appState.flatMap(([name, text]) => {
    const value = parseWhole(text) ?? parseAssigned(text);
    return value === undefined ? [] : [[name, value] as const];
  });
  return defined({
    json_ld: documents.length > 0 ? documents : undefined,
    microdata: page.microdata.length > 0 ? page.microdata.map(plain) : undefined,
    rdfa: page.rdfa.length > 0 ? page.rdfa.map(plain) : undefined,
    microformats: page.microformats.length > 0 ? page.microformats : undefined,
    app_state: state.length > 0 ? Object.fromEntries(state) : undefined,
  });
}

/** An item with its properties by name, each as a list. */
function plain(item: Item): Record<string, unknown> {
  const properties = Object.create(null) as Record<string, unknown[]>;
  for (const [name, value] of item.properties) {
    (properties[name] ??= []).push(typeof value === "string" ? value : plain(value));
  }
  return defined({ types: item.types, id: item.id, properties: { ...properties } });
}
