import type {
  GeoElement,
  GeoImage,
  GeoLink,
  GeoSection,
  GeoTable,
} from "../../../contract/areas/geo/serp.ts";
import type { SerpReference, SerpView } from "../../../contract/serp.ts";
import { type Wire, array, at, count, defined, each, integer, need, object, text } from "#wire";
import { seconds } from "../../upstreams/dataforseo/values.map.ts";
import { cleaned } from "../../mapping/cleaned.map.ts";
import { firstOfEach } from "../../mapping/first-of-each.map.ts";
import { isPaid } from "../../upstreams/dataforseo/serp-elements.map.ts";
import {
  type Evidence,
  type Target,
  evidenceOf,
  isTarget,
  reference,
  referencesOf,
} from "../../upstreams/dataforseo/serp-visibility.map.ts";

export interface GeoOptions {
  view: SerpView;
  target: Target | undefined;
  /** Types of billed elements: generated answers. The ordinary results around them are context. */
  isAnswerOnly: boolean;
  /** Position of the element in its list, from 1. */
  position: number;
}

const answerType = "ai_overview";
const deepest = 6;

/** A first-level element with its contribution to visibility. Throws ShapeError for an element without a type. */
export function geoElement(
  element: Wire,
  options: GeoOptions,
): { row: GeoElement; evidence: Evidence } {
  const type = need(text(element.type), "items[].type");
  const rank = count(element.rank_absolute) || options.position;
  const evidence = evidenceOf(element, rank);
  const { target, view } = options;
  const paid = isPaid(element);
  const references = marked(referencesOf(element), target);
  const outline = {
    type,
    rank,
    group_rank: count(element.rank_group) || undefined,
    page: integer(element.page),
    title: text(element.title),
    is_billable: !paid && (!options.isAnswerOnly || type === answerType),
    is_target: target && !paid ? isTarget(evidence, target) : undefined,
  };
  if (view === "summary") {
    return {
      row: defined({
        ...outline,
        references: some(
          references.map(({ source: _s, snippet: _t, position: _p, ...rest }) => rest),
        ),
      }),
      evidence,
    };
  }
  const sections = sectionsOf(element, options);
  const row = defined({
    ...outline,
    position: text(element.position),
    text: text(element.text) ?? text(element.description) ?? joined(element, type),
    markdown: text(element.markdown),
    references: some(references),
    links: some(linksOf(element, type, target)),
    images: some(imagesOf(element, type)),
    sections: some(sections),
    extras: view === "full" ? extrasOf(element, elementFields) : undefined,
  });
  return { row, evidence };
}

const some = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);

function marked(references: SerpReference[], target: Target | undefined): SerpReference[] {
  return target
    ? references.map((found) => ({ ...found, is_target: target.matches(found) }))
    : references;
}

/** The text of an answer, which is the text of its sections. */
function joined(element: Wire, type: string): string | undefined {
  if (type !== answerType) return undefined;
  const parts = each(element.items, (part) => text(at(part, "text")));
  return parts.length > 0 ? parts.join("\n\n") : undefined;
}

function link(entry: unknown, target: Target | undefined): GeoLink | undefined {
  const holder = object(entry);
  if (!holder) return undefined;
  const own = { url: text(holder.url), domain: text(holder.domain) };
  if (own.url === undefined && own.domain === undefined) return undefined;
  return defined({
    title: text(holder.title),
    ...own,
    snippet: text(holder.description) ?? text(holder.snippet),
    is_target: target?.matches(own),
  });
}

function linksOf(element: Wire, type: string, target: Target | undefined): GeoLink[] {
  const own = each(element.links, (entry) => link(entry, target));
  if (type === answerType) {
    return unique([...own, ...ofParts(element, "links", (entry) => link(entry, target))], "url");
  }
  const address = text(element.url) && link({ ...element, links: null }, target);
  return address ? [address, ...own] : own;
}

function image(entry: unknown): GeoImage | undefined {
  const holder = object(entry);
  if (!holder) return undefined;
  const found = defined({
    alt: text(holder.alt),
    url: text(holder.url),
    // A link to the vendor's own hosts carries the id of its task.
    image_url: text(cleaned(holder.image_url)),
  });
  return found.url === undefined && found.image_url === undefined ? undefined : found;
}

function imagesOf(element: Wire, type: string): GeoImage[] {
  const own = each(element.images, image);
  return type === answerType
    ? unique([...own, ...ofParts(element, "images", image)], "image_url")
    : own;
}

/** Content of an answer's sections, at the first level of nesting and in components. */
function ofParts<T>(element: Wire, name: string, read: (entry: unknown) => T | undefined): T[] {
  return [...(array(element.items) ?? []), ...(array(element.components) ?? [])].flatMap(
    (entry) => {
      const part = object(entry);
      if (!part || part.type === "ai_overview_paid") return [];
      return [
        ...each(part[name], read),
        ...each(part.components, object).flatMap((inner) => each(inner[name], read)),
      ];
    },
  );
}

function unique<T extends { url?: string | undefined; image_url?: string | undefined }>(
  entries: T[],
  by: "url" | "image_url",
): T[] {
  return firstOfEach(entries, (entry) => entry[by] ?? entry.url);
}

function sectionsOf(element: Wire, options: GeoOptions, depth = 0): GeoSection[] {
  if (depth >= deepest) return [];
  return each(element.items, (entry) => section(entry, options, depth));
}

const sectionFields = [
  "title",
  "text",
  "markdown",
  "url",
  "domain",
  "source",
  "snippet",
  "description",
  "references",
  "links",
  "images",
  "table",
  "components",
  "timestamp",
];
const elementFields = ["title", "text", "markdown", "references", "links", "images"];
const structural = [
  "type",
  "rank_group",
  "rank_absolute",
  "position",
  "page",
  "xpath",
  "rectangle",
  "items",
];

/** A part of an answer; adverts among the parts are shown, but never count for the target. */
function section(
  entry: unknown,
  options: GeoOptions,
  depth: number,
  isAdvert = false,
): GeoSection | undefined {
  const part = object(entry);
  const type = text(part?.type);
  if (!part || type === undefined) return undefined;
  const { target, view } = options;
  const advert = isAdvert || type === "ai_overview_paid";
  const own = { url: text(part.url), domain: text(part.domain) };
  const links = each(part.links, (found) => link(found, target));
  const references = marked(each(part.references, reference), target);
  const counts = [...(own.url === undefined ? [] : [own]), ...links, ...references];
  const full = view === "full";
  return defined({
    type,
    title: text(part.title),
    text: text(part.text),
    markdown: text(part.markdown),
    ...own,
    source: text(part.source),
    snippet: text(part.snippet) ?? text(part.description),
    references: some(references),
    links: some(links),
    images: some(each(part.images, image)),
    table: tableOf(part.table),
    is_target: target && !advert ? counts.some((found) => target.matches(found)) : undefined,
    nested_items: full ? nestedOf(part, options, depth, advert) : undefined,
    extras: full
      ? extrasOf(part, sectionFields, {
          published_at: seconds(part.timestamp),
          is_paid: advert || undefined,
        })
      : undefined,
  });
}

function nestedOf(part: Wire, options: GeoOptions, depth: number, isAdvert: boolean) {
  if (depth >= deepest) return undefined;
  const inner = [...(array(part.items) ?? []), ...(array(part.components) ?? [])];
  return some(each(inner, (entry) => section(entry, options, depth + 1, isAdvert)));
}

function tableOf(value: unknown): GeoTable | undefined {
  const holder = object(value);
  const content = array(holder?.table_content);
  if (!holder || !content) return undefined;
  const cells = (row: unknown) => array(row)?.map((cell) => text(cell) ?? "");
  const header = cells(holder.table_header);
  return defined({
    header: header && header.length > 0 ? header : undefined,
    rows: each(content, cells),
  });
}

function extrasOf(
  element: Wire,
  used: readonly string[],
  more: { [name: string]: unknown } = {},
): { [name: string]: unknown } | undefined {
  const rest = Object.entries(element)
    .filter(([name]) => !structural.includes(name) && !used.includes(name))
    .map(([name, value]) => [name, cleaned(value)] as const)
    .filter(([, value]) => value !== undefined);
  const all = { ...Object.fromEntries(rest), ...defined(more) };
  return Object.keys(all).length > 0 ? all : undefined;
}
