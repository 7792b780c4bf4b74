import type { SerpListElement, SerpView } from "../../../contract/serp.ts";
import { type Wire, array, at, defined, each, integer, need, number, object, text } from "#wire";
import { cleaned } from "../../mapping/cleaned.map.ts";

/** One page of events; an empty page has no list at all. */
export interface EventPage {
  events: readonly unknown[];
  total: number | undefined;
  /** Number of pages; absent where the upstream does not report it. */
  pages: number | undefined;
  /** True where the page has a link to the next one. */
  isLinked: boolean;
}

export function eventPage(body: unknown): EventPage {
  const held = at(body, "_embedded");
  const page = object(at(body, "page"));
  // An answer with neither is no page of events.
  if (held === undefined) need(page, "page");
  return {
    events: held === undefined ? [] : need(array(at(held, "events")), "_embedded.events"),
    total: integer(page?.totalElements),
    pages: integer(page?.totalPages),
    isLinked: at(body, "_links", "next") !== undefined,
  };
}

const seller = "Ticketmaster";
/** Members of an event that are mapped, or mean nothing to a reader. */
const taken = new Set([
  "name",
  "url",
  "description",
  "info",
  "images",
  "dates",
  "priceRanges",
  "_embedded",
  "_links",
  "type",
  "test",
  "locale",
]);

/**
 * An event as an element of a list. Date, venue and tickets are what callers pay for, so every view has
 * them. Throws ShapeError for an event without a name.
 */
export function eventElement(event: Wire, view: SerpView): SerpListElement {
  const url = text(event.url);
  const domain = hostOf(url);
  const outline = {
    type: "event_item",
    is_billable: true,
    title: need(text(event.name), "_embedded.events[].name"),
    url,
    domain,
  };
  const venue = object(at(event, "_embedded", "venues", 0));
  const chosen = curated(event, venue, url, domain);
  if (view === "summary") return defined({ ...outline, extras: some(chosen) });
  return defined({
    ...outline,
    snippet: text(event.description) ?? text(event.info),
    image_url: imageOf(event.images),
    address: addressOf(venue),
    category: categoryOf(event.classifications),
    latitude: number(at(venue, "location", "latitude")),
    longitude: number(at(venue, "location", "longitude")),
    extras: some({
      ...(view === "full"
        ? { ...othersOf(event), ...defined({ performers: performersOf(event) }) }
        : {}),
      ...chosen,
    }),
  });
}

function curated(
  event: Wire,
  venue: Wire | undefined,
  url: string | undefined,
  domain: string | undefined,
): { [name: string]: unknown } {
  const prices = each(event.priceRanges, (entry) => {
    const range = object(entry);
    return (
      range &&
      defined({
        type: text(range.type),
        currency: text(range.currency),
        min: number(range.min),
        max: number(range.max),
      })
    );
  });
  return defined({
    start_at: momentOf(at(event, "dates", "start")),
    end_at: momentOf(at(event, "dates", "end")),
    // The day is the last known one.
    is_date_open: isDateOpen(object(at(event, "dates", "start"))) || undefined,
    timezone: text(at(event, "dates", "timezone")) ?? text(venue?.timezone),
    status: text(at(event, "dates", "status", "code")),
    venue:
      venue &&
      defined({
        id: text(venue.id),
        name: text(venue.name),
        address: addressOf(venue),
        url: text(venue.url),
      }),
    tickets: url === undefined ? undefined : [defined({ label: "TICKETS", seller, url, domain })],
    price_ranges: prices.length > 0 ? prices : undefined,
  });
}

function performersOf(event: Wire) {
  const found = each(at(event, "_embedded", "attractions"), (entry) => {
    const row = object(entry);
    const performer = defined({
      id: text(row?.id),
      name: text(row?.name),
      url: text(row?.url),
      image_url: imageOf(row?.images),
      category: categoryOf(row?.classifications),
    });
    return Object.keys(performer).length > 0 ? performer : undefined;
  });
  return found.length > 0 ? found : undefined;
}

function some<T extends object>(members: T): T | undefined {
  return Object.keys(members).length > 0 ? members : undefined;
}

const isDateOpen = (moment: Wire | undefined) =>
  moment?.dateTBA === true || moment?.dateTBD === true;

/** Time in UTC where known, else the venue's local day and time; no time while day or time are open. */
function momentOf(value: unknown): string | undefined {
  const moment = object(value);
  if (!moment) return undefined;
  const [day, clock] = [text(moment.localDate), text(moment.localTime)];
  if (isDateOpen(moment) || moment.noSpecificTime === true || moment.timeTBA === true) return day;
  return text(moment.dateTime) ?? (day && clock ? `${day}T${clock}` : day);
}

function addressOf(venue: Wire | undefined): string | undefined {
  const parts = [
    text(at(venue, "address", "line1")),
    text(at(venue, "city", "name")),
    text(at(venue, "state", "stateCode")),
    text(venue?.postalCode),
    text(at(venue, "country", "name")),
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(", ") : undefined;
}

/** The widest picture in a screen's usual format. */
function imageOf(images: unknown): string | undefined {
  const wide = each(images, (entry) => {
    const image = object(entry);
    const url = text(image?.url);
    return image?.ratio === "16_9" && url !== undefined
      ? { url, width: number(image.width) ?? 0 }
      : undefined;
  });
  return wide.sort((a, b) => b.width - a.width)[0]?.url;
}

function categoryOf(classifications: unknown): string | undefined {
  const all = each(classifications, object);
  const main = all.find((entry) => entry.primary === true) ?? all[0];
  return text(at(main, "segment", "name"));
}

function othersOf(event: Wire): { [name: string]: unknown } {
  const rest = Object.entries(event)
    .filter(([name]) => !taken.has(name))
    .map(([name, value]) => [name, cleaned(value)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(rest);
}

function hostOf(url: string | undefined): string | undefined {
  return /^https?:\/\/([^/?#:@\s]+)/i.exec(url ?? "")?.[1]?.toLowerCase();
}
