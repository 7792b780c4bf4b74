import { expect, test } from "vitest";
import { stayOf } from "../../../contract/areas/hotels/input.ts";
import { operations } from "../../../contract/index.ts";
import { isIdentifier } from "../../../contract/fields.ts";
import { hotel, hotelProfile } from "../../../worker/areas/hotels/hotel.map.ts";
import hotels from "../../../worker/areas/hotels/handlers.ts";
import { dataforseoCalls } from "../dataforseo-call.ts";
import { issues as issuesOf, parse } from "../input.ts";

const issues = (given: Record<string, unknown>) => issuesOf("hotels.search", given);

const callOf = dataforseoCalls("hotels.search", 140);
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

test("hotels surprise 1: children are given by their ages, within six guests", async () => {
  expect(issues({ children: [3, 17], adults: 4 })).toEqual([]);
  expect(issues({ children: [3, 17], adults: 5 })).toEqual(["children"]);
  expect(issues({ children: [18] })).toEqual(["children.0"]);
  const { call, tasks } = callOf([{ items: null }]);
  const given = parse("hotels.search", { children: [3, 17], location: 1006886 }).data;
  await hotels["hotels.search"](given as never, call);
  expect(tasks[0]).toMatchObject({ children: [3, 17], location_code: 1006886, depth: 10 });
});

test("a point is sent without the radius that other searches take", async () => {
  const search = callOf([{ items: null }]);
  const given = parse("hotels.search", { location: "51.5, -0.12,2000" }).data as never;
  await hotels["hotels.search"](given, search.call);
  expect(search.tasks[0]).toMatchObject({ location_coordinate: "51.5,-0.12" });
  const info = callOf([{ hotel_identifier: "CgoI-KWyzenM_MV3EAE" }]);
  const known = { hotel_identifier: "CgoI-KWyzenM_MV3EAE", location: "51.5,-0.12,2000" };
  await hotels["hotels.info"](parse("hotels.info", known).data as never, info.call);
  expect(info.tasks[0]).toMatchObject({ location_coordinate: "51.5,-0.12" });
});

test("hotels surprise 2: a hotel without prices is still a hotel", () => {
  expect(hotel({ hotel_identifier: "h", title: "Inn", prices: null, is_paid: false }, 3)).toEqual({
    hotel_identifier: "h",
    title: "Inn",
    rank: 3,
    is_paid: false,
    is_billable: true,
  });
  expect(() => hotel({ title: "Inn" }, 1)).toThrow();
});

test("hotels surprise 3: offers may be absent, with rooms or without", () => {
  const prices = { price: 80, visitors: 2, items: null };
  expect(hotel({ hotel_identifier: "h", prices }, 1)).toMatchObject({
    prices: { price: 80, guests: 2 },
  });
  expect(hotel({ hotel_identifier: "h", prices }, 1)).not.toHaveProperty("offers");
  const items = [
    { title: "A", price: 80, official_site: true, offers: null },
    {
      title: "B",
      offers: [{ title: "Room", max_visitors: 2, offer_images: ["https://i.example"] }],
    },
  ];
  expect(hotel({ hotel_identifier: "h", prices: { items } }, 1).offers).toEqual([
    { seller: "A", price: 80, is_official_site: true },
    { seller: "B", rooms: [{ title: "Room", max_guests: 2, images: ["https://i.example"] }] },
  ]);
});

test("hotels surprise 4: the position in the list is the rank, and adverts are free", async () => {
  const items = ["a", "ad", "b", "c"].map((name) => ({
    hotel_identifier: name,
    is_paid: name === "ad",
  }));
  const { call } = callOf([{ items }], { maxRecords: 2, shortOfCredits: true });
  const given = parse("hotels.search", { limit: 3 }).data as never;
  const { data, truncated } = await hotels["hotels.search"](given, call);
  expect(data.results.map((row) => [row.hotel_identifier, row.rank, row.is_billable])).toEqual([
    ["a", 1, true],
    ["ad", 2, false],
    ["b", 3, true],
  ]);
  expect([data.result_count, truncated]).toEqual([3, true]);
});

test("a search has no more rows than its limit, adverts included", async () => {
  const items = ["ad", "a", "b"].map((name) => ({
    hotel_identifier: name,
    is_paid: name === "ad",
  }));
  const given = parse("hotels.search", { limit: 2 }).data as never;
  const { data } = await hotels["hotels.search"](given, callOf([{ items }]).call);
  expect(data.results.map((row) => row.hotel_identifier)).toEqual(["ad", "a"]);
  expect(data.result_count).toBe(2);
});

test("hotels surprise 5: an unknown hotel is not found", async () => {
  const given = parse("hotels.info", { hotel_identifier: "CgoI-KWyzenM_MV3EAE" }).data as never;
  await expect(hotels["hotels.info"](given, callOf([null]).call)).rejects.toMatchObject({
    type: "not_found",
  });
});

test("hotels surprise 6: prices by dates are requested only when chosen", async () => {
  const known = { hotel_identifier: "CgoI-KWyzenM_MV3EAE" };
  const plain = callOf([known]);
  await hotels["hotels.info"](parse("hotels.info", known).data as never, plain.call);
  expect(plain.tasks[0]).not.toHaveProperty("load_prices_by_dates");
  const dated = callOf([
    {
      ...known,
      prices: { prices_by_dates: [{ check_in_date: "2026-08-01", price: 90 }, null] },
    },
  ]);
  const given = parse("hotels.info", { ...known, load_prices_by_dates: true }).data as never;
  const { data } = await hotels["hotels.info"](given, dated.call);
  expect(dated.tasks[0]).toMatchObject({ load_prices_by_dates: true, prices_date_range: "month" });
  expect(data.prices).toEqual({ prices_by_dates: [{ check_in_date: "2026-08-01", price: 90 }] });
});

test("days of a stay have no time of day", () => {
  const [check_in, check_out] = ["2026-08-01 00:00:00 +00:00", "2026-08-02 00:00:00 +00:00"];
  const prices = { check_in, check_out, prices_by_dates: [{ check_in_date: check_in, price: 9 }] };
  expect(hotelProfile({ hotel_identifier: "h", prices }).prices).toEqual({
    check_in: "2026-08-01",
    check_out: "2026-08-02",
    prices_by_dates: [{ check_in_date: "2026-08-01", price: 9 }],
  });
});

test("hotels surprise 7: a time is an hour and optionally a minute", () => {
  const about = (check_in_time: unknown) =>
    hotelProfile({ hotel_identifier: "h", about: { check_in_time } }).about?.check_in_time;
  expect(about({ hour: 15, minute: 0 })).toBe("15:00");
  expect(about({ hour: 9, minute: null })).toBe("09:00");
  expect(about({ hour: 24, minute: 0 })).toBeUndefined();
  expect(about(null)).toBeUndefined();
});

test("a stay begins tomorrow and lasts a night by default", () => {
  const now = Date.parse("2026-12-30T12:00:00Z");
  expect(stayOf({}, now)).toEqual({ check_in: "2026-12-31", check_out: "2027-01-01" });
  expect(stayOf({ check_in: "2027-02-28" }, now).check_out).toBe("2027-03-01");
});

test("a stay lies ahead, ends after it began, and is a month at most", () => {
  expect(issues({ check_in: later(3), check_out: later(5) })).toEqual([]);
  expect(issues({ check_in: later(-3) })).toEqual(["check_in"]);
  expect(issues({ check_in: later(3), check_out: later(3) })).toEqual(["check_out"]);
  expect(issues({ check_in: later(3), check_out: later(40) })).toEqual(["check_out"]);
  expect(issues({ check_in: "soon" })).toEqual(["check_in"]);
  expect(issues({ min_price: 9, max_price: 8 })).toEqual(["max_price"]);
});

test("a malformed identifier of a hotel is invalid_id", () => {
  const { hotel_identifier: rule } = operations.get("hotels.info")?.input.shape ?? {};
  expect(isIdentifier(rule as never)).toBe(true);
  const bad = parse("hotels.info", { hotel_identifier: "a/b" }).error?.issues;
  expect(bad?.map((issue) => issue.path.join("."))).toEqual(["hotel_identifier"]);
});
