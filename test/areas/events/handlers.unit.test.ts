import { expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import type { Call } from "../../../worker/connector.ts";
import { eventElement, eventPage } from "../../../worker/areas/events/event.map.ts";
import events from "../../../worker/areas/events/handlers.ts";

type Query = Record<string, string | number | undefined>;

/** A call answered with these pages, and its upstream requests. */
function callOf(pages: unknown[], more: Partial<Call> = {}) {
  const queries: Query[] = [];
  const call = {
    operation: "events.search",
    maxRecords: 700,
    shortOfCredits: false,
    startedAt: Date.now(),
    deadline: Date.now() + 60_000,
    async send(_upstream: unknown, request: { query: Query }) {
      queries.push(request.query);
      return { status: 200, headers: {}, body: pages[queries.length - 1] };
    },
    ...more,
  } as unknown as Call;
  return { call, queries };
}

const input = (given: object) =>
  operations.get("events.search")?.input.parse({ query: "jazz", ...given }) as never;

const pageOf = (from: number, length: number, total: number, size: number) => ({
  _embedded: { events: Array.from({ length }, (_, at) => ({ name: `Event ${from + at}` })) },
  page: { totalElements: total, totalPages: Math.ceil(total / size) },
});

test("events surprise 1: an empty page has no list", async () => {
  const nothing = { page: { totalElements: 0, totalPages: 0 } };
  expect(eventPage(nothing)).toEqual({ events: [], total: 0, pages: 0, isLinked: false });
  expect(() => eventPage({})).toThrow();
  expect(() => eventPage({ _embedded: {}, page: {} })).toThrow();
  const { data } = await events["events.search"](input({}), callOf([nothing]).call);
  expect(data).toMatchObject({ results: [], item_types: [], result_count: 0, total_results: 0 });
});

test("events surprise 2: coordinates are texts", () => {
  const location = { latitude: "41.86", longitude: "-87.61" };
  const event = { name: "A", _embedded: { venues: [{ name: "Hall", location }] } };
  expect(eventElement(event, "standard")).toMatchObject({ latitude: 41.86, longitude: -87.61 });
});

test("events surprise 3: pages are requested up to the limit, and end at a thousand events", async () => {
  const pages = [0, 1, 2, 3].map((page) => pageOf(page * 200, 200, 9000, 200));
  const { call, queries } = callOf(pages);
  const { data } = await events["events.search"](input({ limit: 650 }), call);
  expect(queries.map(({ size, page }) => [size, page])).toEqual(
    [0, 1, 2, 3].map((page) => [200, page]),
  );
  expect(data.results).toHaveLength(650);
  expect(data.results.at(-1)).toMatchObject({ title: "Event 649", rank: 650, group_rank: 650 });

  const deep = callOf(Array.from({ length: 9 }, (_, page) => pageOf(page * 200, 1, 9000, 200)));
  await events["events.search"](input({ limit: 700 }), deep.call);
  expect(deep.queries.map(({ page }) => page)).toEqual([0, 1, 2, 3, 4]);
});

test("events surprise 4: a start is a time, a day, or unknown", () => {
  const start = (value: object) =>
    eventElement({ name: "A", dates: { start: value } }, "standard").extras?.start_at;
  const local = { localDate: "2026-09-08", localTime: "17:30:00" };
  expect(start({ ...local, dateTime: "2026-09-08T22:30:00Z" })).toBe("2026-09-08T22:30:00Z");
  expect(start(local)).toBe("2026-09-08T17:30:00");
  expect(start({ ...local, noSpecificTime: true })).toBe("2026-09-08");
  expect(start({ ...local, timeTBA: true })).toBe("2026-09-08");
  expect(start({ ...local, dateTBA: true })).toBe("2026-09-08");
  expect(start({ dateTBD: true })).toBeUndefined();
  const open = { name: "A", dates: { start: { ...local, dateTBA: true } } };
  expect(eventElement(open, "summary").extras).toMatchObject({ is_date_open: true });
});

test("events surprise 6: the widest picture of the usual format is taken", () => {
  const image = (ratio: string, width: number) => ({
    ratio,
    width,
    url: `https://i.example/${width}`,
  });
  const images = [image("16_9", 205), image("3_2", 2000), image("16_9", 1024), null];
  expect(eventElement({ name: "A", images }, "standard").image_url).toBe("https://i.example/1024");
});

test("events surprise 7: the category is that of the main classification", () => {
  const of = (...classifications: object[]) =>
    eventElement({ name: "A", classifications }, "standard").category;
  const named = (name: string, primary: boolean) => ({ primary, segment: { name } });
  expect(of(named("Film", false), named("Music", true))).toBe("Music");
  expect(of(named("Film", false))).toBe("Film");
  expect(of()).toBeUndefined();
});

test("an event that does not fit keeps its rank empty, on every page", async () => {
  const first = pageOf(0, 3, 6, 3);
  (first._embedded.events as unknown[]).splice(1, 1, { id: "without a name" });
  const second = pageOf(3, 3, 6, 3);
  (second._embedded.events as unknown[]).splice(0, 1, null);
  const { call } = callOf([first, second], { maxRecords: 3 });
  const { data } = await events["events.search"](input({ limit: 3 }), call);
  expect(data.results.map(({ title, rank, group_rank }) => [title, rank, group_rank])).toEqual([
    ["Event 0", 1, 1],
    ["Event 2", 3, 3],
    ["Event 4", 5, 5],
  ]);
});

test("the time of the call is the time of observation", async () => {
  const startedAt = Date.parse("2026-07-01T10:20:30.456Z");
  const { call } = callOf([pageOf(0, 1, 1, 10)], { startedAt, deadline: Date.now() + 60_000 });
  const { data } = await events["events.search"](input({}), call);
  expect(data.observed_at).toBe("2026-07-01T10:20:30Z");
});

test("performers are named in full", () => {
  const image = { ratio: "16_9", width: 640, url: "https://i.example/a" };
  const attractions = [
    { id: "K8", name: "The Players", url: "https://t.example/k8", images: [image], type: "x" },
    { classifications: [{ primary: true, segment: { name: "Music" } }], name: "Others" },
    7,
  ];
  const event = { name: "A", _embedded: { attractions } };
  expect(eventElement(event, "full").extras?.performers).toEqual([
    {
      id: "K8",
      name: "The Players",
      url: "https://t.example/k8",
      image_url: "https://i.example/a",
    },
    { name: "Others", category: "Music" },
  ]);
  expect(eventElement(event, "standard").extras ?? {}).not.toHaveProperty("performers");
});

test("views: date, venue and tickets are in all, other fields are absent, chosen or whole", () => {
  const event = {
    name: "A",
    url: "https://tickets.example/a",
    info: "Doors at six",
    pleaseNote: "No dogs",
    dates: { status: { code: "onsale" }, timezone: "America/Chicago" },
    priceRanges: [{ type: "standard", currency: "USD", min: 45, max: null }],
  };
  expect(eventElement(event, "summary")).toEqual({
    type: "event_item",
    is_billable: true,
    title: "A",
    url: "https://tickets.example/a",
    domain: "tickets.example",
    extras: {
      status: "onsale",
      timezone: "America/Chicago",
      price_ranges: [{ type: "standard", currency: "USD", min: 45 }],
      tickets: [
        {
          label: "TICKETS",
          seller: "Ticketmaster",
          url: "https://tickets.example/a",
          domain: "tickets.example",
        },
      ],
    },
  });
  expect(eventElement(event, "standard")).toMatchObject({
    snippet: "Doors at six",
    extras: {
      status: "onsale",
      timezone: "America/Chicago",
      price_ranges: [{ type: "standard", currency: "USD", min: 45 }],
      tickets: [{ label: "TICKETS", seller: "Ticketmaster", domain: "tickets.example" }],
    },
  });
  expect(eventElement(event, "standard").extras).not.toHaveProperty("pleaseNote");
  expect(eventElement(event, "full").extras).toMatchObject({ pleaseNote: "No dogs" });
});

test("a balance for fewer events requests fewer and reports it", async () => {
  const { call, queries } = callOf([pageOf(0, 3, 40, 3)], { maxRecords: 3, shortOfCredits: true });
  const { data, truncated } = await events["events.search"](input({ limit: 10 }), call);
  expect(queries).toMatchObject([{ size: 3, page: 0 }]);
  expect([data.results.length, truncated]).toEqual([3, true]);
});
