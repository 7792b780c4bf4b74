import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const usualTotal = 46;
const longTotal = 900;

const pad = (number: number) => String(number).padStart(2, "0");

/** Start of an event: a known time, a day without a time, or not known yet. */
function start(index: number, day: string, hour: number) {
  const flags = { dateTBD: false, dateTBA: false, timeTBA: false, noSpecificTime: false };
  if (index % 5 === 2) return { localDate: day, ...flags, noSpecificTime: true };
  if (index % 5 === 4) return { localDate: "2026-12-31", ...flags, dateTBA: true };
  const local = { localDate: day, localTime: `${pad(hour)}:30:00` };
  if (index % 5 === 3) return { ...local, ...flags };
  return { ...local, dateTime: `${day}T${pad(hour + 2)}:30:00Z`, ...flags };
}

function event(seed: string, query: string, from: string, index: number) {
  const v = vary("event", seed, index);
  const id = `Z7r9jZ1A${v.token("id", 8)}`;
  const name = `${v.pick("act", words)} ${query} night ${index + 1}`;
  const slug = `${v.pick("act", words)}-${index}`;
  const bare = index % 4 === 3;
  const day = new Date(Date.parse(from) + index * 43_200_000).toISOString().slice(0, 10);
  const url = `https://tickets.example/${slug}/event/${id}`;
  const image = (ratio: string, width: number) => ({
    ratio,
    url: `https://images.example/${slug}_${ratio}_${width}.jpg`,
    width,
    height: Math.round(width / 1.6),
    fallback: false,
  });
  const venue = {
    name: `${v.pick("hall", words)} hall`,
    type: "venue",
    id: `KovZ${v.token("venue", 8)}`,
    test: false,
    url: `https://tickets.example/venue/${v.digits("venue", 5)}`,
    locale: "en-us",
    postalCode: v.digits("zip", 5),
    timezone: "America/Chicago",
    city: { name: "Sampletown" },
    state: { name: "Illinois", stateCode: "IL" },
    country: { name: "United States Of America", countryCode: "US" },
    address: { line1: `${v.int("number", 1, 90)} ${v.pick("street", words)} street` },
    location: {
      longitude: `-87.${v.digits("longitude", 6)}`,
      latitude: `41.${v.digits("latitude", 6)}`,
    },
  };
  const attraction = {
    name: `The ${v.pick("act", words)} players`,
    type: "attraction",
    id: `K8vZ${v.token("attraction", 7)}`,
    test: false,
    url: `https://tickets.example/artist/${v.digits("artist", 7)}`,
    images: [image("16_9", 640)],
    classifications: [{ primary: true, segment: { id: "KZ2", name: "Music" } }],
  };
  return {
    name,
    type: "event",
    id,
    test: false,
    url,
    locale: "en-us",
    ...(index % 3 === 0 ? { info: `Doors open early for ${v.pick("info", words)}` } : {}),
    ...(index % 3 === 1 ? { description: `An evening of ${v.pick("evening", words)}` } : {}),
    images: [image("3_2", 640), image("16_9", 205), image("16_9", 1024)],
    sales: { public: { startDateTime: "2026-01-10T10:00:00Z", startTBD: false } },
    dates: {
      start: start(index, day, v.int("hour", 12, 20)),
      ...(index % 4 === 0 ? { end: { dateTime: `${day}T23:00:00Z` } } : {}),
      ...(bare ? {} : { timezone: "America/Chicago" }),
      status: { code: v.pick("status", ["onsale", "offsale", "rescheduled"]) },
      spanMultipleDays: false,
    },
    classifications: [
      { primary: false, segment: { id: "KZ1", name: "Miscellaneous" } },
      {
        primary: true,
        segment: { id: "KZ2", name: v.pick("segment", ["Music", "Arts & Theatre", "Sports"]) },
        genre: { id: "KZ3", name: "Sample" },
      },
    ],
    ...(bare
      ? {}
      : {
          priceRanges: [
            {
              type: "standard",
              currency: "USD",
              min: v.int("price", 10, 60),
              max: v.int("price", 10, 60) + v.int("dear", 10, 90),
            },
          ],
        }),
    ...(index % 2 === 0 ? { pleaseNote: `Bring your own ${v.pick("note", words)}` } : {}),
    _links: { self: { href: `/discovery/v2/events/${id}?locale=en-us` } },
    _embedded: {
      venues: bare ? [] : [venue],
      ...(index % 3 === 2 ? {} : { attractions: [attraction] }),
    },
  };
}

function events({ query = {}, empty, secondPage }: SampleRequest): unknown {
  const { size = 20, page = 0, keyword = "", startDateTime, ...place } = query;
  const total = empty ? 0 : secondPage ? longTotal : usualTotal;
  const seed = JSON.stringify([keyword, place.city, place.countryCode, place.latlong]);
  const from = String(startDateTime ?? "2026-07-01T00:00:00Z");
  const list = { total, offset: Number(size) * Number(page), count: Number(size) };
  const found = slice(list, (index) => event(seed, String(keyword), from, index));
  return {
    // An empty page has no list.
    ...(found.length > 0 ? { _embedded: { events: found } } : {}),
    _links: { self: { href: "/discovery/v2/events.json" } },
    page: {
      size: Number(size),
      totalElements: total,
      totalPages: Math.ceil(total / Number(size)),
      number: Number(page),
    },
  };
}

/** Sample answers of Ticketmaster, written for this project. */
export const ticketmaster: Samples = {
  upstream: "ticketmaster",
  answers: { "GET /discovery/v2/events.json": events },
  faults: {
    not_found: { status: 200, body: { page: { size: 20, totalElements: 0, totalPages: 0 } } },
    upstream_error: { status: 404, body: { errors: [{ code: "DIS1004", status: "404" }] } },
    upstream_unavailable: { status: 503, body: { fault: { faultstring: "Service unavailable" } } },
  },
};
