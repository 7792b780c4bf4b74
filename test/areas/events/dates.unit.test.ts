import { expect, test } from "vitest";
import { eventDates } from "../../../worker/areas/events/dates.ts";

/** A Wednesday; the month ends on a Thursday. */
const wednesday = new Date("2026-12-30T15:00:00Z");
const sunday = new Date("2026-02-01T00:00:00Z");

test.each([
  ["today", wednesday, "2026-12-30", "2026-12-30"],
  ["tomorrow", wednesday, "2026-12-31", "2026-12-31"],
  ["this_week", wednesday, "2026-12-30", "2027-01-03"],
  ["this_weekend", wednesday, "2027-01-02", "2027-01-03"],
  ["next_week", wednesday, "2027-01-04", "2027-01-10"],
  ["this_month", wednesday, "2026-12-30", "2026-12-31"],
  ["next_month", wednesday, "2027-01-01", "2027-01-31"],
  ["this_week", sunday, "2026-02-01", "2026-02-01"],
  ["this_weekend", sunday, "2026-02-01", "2026-02-01"],
  ["next_week", sunday, "2026-02-02", "2026-02-08"],
  ["next_month", sunday, "2026-03-01", "2026-03-31"],
] as const)("%s, seen from %s", (range, now, from, to) => {
  expect(eventDates(range, now)).toEqual({
    startDateTime: `${from}T00:00:00Z`,
    endDateTime: `${to}T23:59:59Z`,
  });
});

test("no range, no dates", () => {
  expect(eventDates(undefined, wednesday)).toEqual({});
});
