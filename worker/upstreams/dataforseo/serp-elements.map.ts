import type { SerpListElement, SerpRating, SerpView } from "../../../contract/serp.ts";
import { type Wire, array, at, count, defined, integer, need, number, object, text } from "#wire";
import { cleaned, isVendorLink } from "../../mapping/cleaned.map.ts";
import { seconds, time } from "./values.map.ts";

/** Types that are always adverts, whatever their `is_paid`. */
const paidTypes: ReadonlySet<string> = new Set([
  "paid",
  "maps_paid_item",
  "shopping",
  "commercial_units",
  "local_services",
]);

export function isPaid(element: Wire): boolean {
  return element.is_paid === true || paidTypes.has(text(element.type) ?? "");
}

export interface ElementOptions {
  view: SerpView;
  /** Position of the element in its list, from 1, for a source without ranks. */
  position: number;
  /** Members of `extras` that the standard view shows as well. */
  curated?: readonly string[];
  /** Members of `extras` made by the area; undefined ones are left out. */
  own?(element: Wire): { [name: string]: unknown };
  /** Members of the element that `own` or the caller already used; `extras` leaves them out. */
  taken?: readonly string[];
  /** Fields that the area reads differently. */
  over?(element: Wire): Partial<Pick<SerpListElement, "address" | "snippet" | "image_url">>;
  /** Selects billable elements; all but adverts by default. */
  isBillable?(element: Wire): boolean;
}

/** Members that are never part of `extras`. */
const structural = [
  "type",
  "rank_group",
  "rank_absolute",
  "position",
  "page",
  "xpath",
  "rectangle",
  "items",
  "is_paid",
];
const deepest = 8;

/** A first-level element. Throws ShapeError for an element without a type. */
export function serpElement(element: Wire, options: ElementOptions): SerpListElement {
  const type = need(text(element.type), "items[].type");
  const paid = isPaid(element);
  return mapped(element, type, options, {
    is_billable: options.isBillable ? options.isBillable(element) && !paid : !paid,
    is_paid: paid || undefined,
    rank: positive(element.rank_absolute) ?? options.position,
    group_rank: positive(element.rank_group) ?? options.position,
  });
}

type Standing = Pick<SerpListElement, "is_billable" | "is_paid" | "rank" | "group_rank">;

function mapped(
  element: Wire,
  type: string,
  options: ElementOptions,
  standing: Standing,
  depth = 0,
): SerpListElement {
  const used = new Set([...structural, ...(options.taken ?? [])]);
  const take = (...names: string[]): string | undefined => {
    for (const name of names) {
      const value = text(element[name]);
      if (value === undefined) continue;
      used.add(name);
      return value;
    }
    return undefined;
  };
  const url = take("url");
  const outline = {
    type,
    ...standing,
    title: take("title", "featured_title", "name"),
    url,
    domain: take("domain") ?? domainOf(url),
    rating: ratingOf(element.rating, used),
  };
  const nested = depth > 0;
  if (options.view === "summary") {
    return defined(
      nested ? { ...outline, snippet: take("snippet", "description", "text") } : outline,
    );
  }
  const rest = {
    ...outline,
    snippet: take("snippet", "description", "text"),
    image_url: imageOf(element, take),
    phone: take("phone"),
    address: take("address") ?? text(at(element, "location_info", "address")),
    category: take("category"),
    ...coordinatesOf(element, used),
    ...defined(options.over?.(element) ?? {}),
  };
  if (nested && options.view === "standard") {
    const { image_url: _image, phone: _phone, address: _address, ...kept } = rest;
    const { category: _category, latitude: _latitude, longitude: _longitude, ...brief } = kept;
    return defined({ ...brief, extras: extrasOf(element, used, nestedOptions(options)) });
  }
  return defined({
    ...rest,
    nested_items: nestedOf(element, options, depth),
    extras: extrasOf(element, used, nested ? nestedOptions(options) : options),
  });
}

function nestedOf(element: Wire, options: ElementOptions, depth: number) {
  const inner = (array(element.items) ?? []).flatMap((entry) => {
    const item = object(entry);
    const type = text(item?.type);
    if (!item || type === undefined || depth >= deepest) return [];
    const standing = {
      is_billable: false,
      is_paid: isPaid(item) || undefined,
      rank: positive(item.rank_absolute),
      group_rank: positive(item.rank_group),
    };
    return [mapped(item, type, nestedOptions(options), standing, depth + 1)];
  });
  return inner.length > 0 ? inner : undefined;
}

/** Publication fields, which nested elements keep. */
const nestedOptions = ({ view }: ElementOptions): ElementOptions => ({
  view,
  position: 0,
  curated: ["source", "date"],
  own: (element) => ({ published_at: seconds(element.timestamp) }),
});

function extrasOf(element: Wire, used: ReadonlySet<string>, options: ElementOptions) {
  const curated = new Set(options.curated);
  const full = options.view === "full";
  const kept = Object.entries(element).flatMap(([name, value]): [string, unknown][] => {
    if (used.has(name) || (!full && !curated.has(name))) return [];
    const clean = cleaned(value);
    return clean === undefined ? [] : [[name, clean]];
  });
  const strings = (array(element.items) ?? []).filter((entry) => typeof entry === "string");
  const extras = {
    ...Object.fromEntries(kept),
    ...(full
      ? {
          items: strings.length > 0 ? strings : undefined,
          position: text(element.position),
          page: integer(element.page),
        }
      : {}),
    ...options.own?.(element),
  };
  const present = defined(extras);
  return Object.keys(present).length > 0 ? present : undefined;
}

function imageOf(element: Wire, take: (...names: string[]) => string | undefined) {
  const found =
    take("image_url") ?? take("main_image") ?? text(at(element, "images", 0, "image_url"));
  return found === undefined || isVendorLink(found) ? undefined : found;
}

function positive(value: unknown): number | undefined {
  return count(value) || undefined;
}

function domainOf(url: string | undefined): string | undefined {
  const host = /^https?:\/\/([^/?#:@\s]+)/i.exec(url ?? "")?.[1]?.toLowerCase();
  return host === undefined || /(^|\.)google\.[a-z.]{2,6}$/.test(host) ? undefined : host;
}

/** A rating, also where it is a bare number. */
export function ratingOf(value: unknown, used?: Set<string>): SerpRating | undefined {
  const holder = object(value);
  const found = number(holder ? holder.value : value);
  if (found === undefined) return undefined;
  used?.add("rating");
  return defined({
    value: found,
    votes_count: count(holder?.votes_count),
    rating_type: text(holder?.rating_type),
    rating_max: number(holder?.rating_max),
  });
}

/** Coordinates; zero and zero without an address mean unknown. */
function coordinatesOf(
  element: Wire,
  used: Set<string>,
): Pick<SerpListElement, "latitude" | "longitude"> {
  const [latitude, longitude] = [number(element.latitude), number(element.longitude)];
  if (latitude !== undefined) used.add("latitude");
  if (longitude !== undefined) used.add("longitude");
  if (latitude === 0 && longitude === 0 && text(element.address) === undefined) return {};
  return { latitude, longitude };
}

/** The fields of an answer about the page as a whole. */
export function pageFields(result: Wire | undefined, types: readonly string[]) {
  return defined({
    observed_at: time(result?.datetime),
    search_url: text(result?.check_url),
    // These pages have 0 for an unknown number.
    total_results: positive(result?.se_results_count),
    item_types: typesOf(result, types),
  });
}

/** `item_types` of a result, or the distinct types of its elements. */
export function typesOf(result: Wire | undefined, types: readonly string[]): string[] {
  const named = array(result?.item_types)?.filter((entry) => typeof entry === "string");
  return named ?? [...new Set(types)];
}

export interface Shortened<Row> {
  rows: Row[];
  /** True when billable rows were left out. */
  isCut: boolean;
}

/** Elements up to the last of `most` billable ones, with the adverts before it. */
export function untilBillable<Row extends { is_billable: boolean }>(
  elements: readonly Row[],
  most: number,
): Shortened<Row> {
  let billable = 0;
  const end = elements.findIndex((element) => element.is_billable && ++billable === most);
  if (end < 0) return { rows: [...elements], isCut: false };
  const rest = elements.slice(end + 1);
  return {
    rows: elements.slice(0, end + 1),
    isCut: rest.some((element) => element.is_billable),
  };
}
