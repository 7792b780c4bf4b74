import type { DateRange } from "../../../contract/areas/events/index.ts";

const dayMs = 86_400_000;

/** First and last day of a range, in days from the day of `now`; both included, in UTC. */
function daysOf(range: DateRange, now: Date): [number, number] {
  /** 0 is Monday. */
  const weekday = (now.getUTCDay() + 6) % 7;
  const dayOfMonth = now.getUTCDate();
  const monthLength = (offset: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset + 1, 0)).getUTCDate();
  const monthEnd = monthLength(0) - dayOfMonth;
  switch (range) {
    case "today":
      return [0, 0];
    case "tomorrow":
      return [1, 1];
    case "this_week":
      return [0, 6 - weekday];
    case "this_weekend":
      return [Math.max(0, 5 - weekday), 6 - weekday];
    case "next_week":
      return [7 - weekday, 13 - weekday];
    case "this_month":
      return [0, monthEnd];
    case "next_month":
      return [monthEnd + 1, monthEnd + monthLength(1)];
  }
}

/** Ticketmaster's parameters for a range of days. */
export function eventDates(
  range: DateRange | undefined,
  now: Date,
): { startDateTime?: string; endDateTime?: string } {
  if (range === undefined) return {};
  const [from, to] = daysOf(range, now);
  const day = (offset: number) =>
    new Date(now.getTime() + offset * dayMs).toISOString().slice(0, 10);
  return { startDateTime: `${day(from)}T00:00:00Z`, endDateTime: `${day(to)}T23:59:59Z` };
}
