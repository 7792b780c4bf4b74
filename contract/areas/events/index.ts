import * as z from "zod";
import { area, operation } from "../../operation.ts";
import { perElement, query, serpAnswer, serpListElement, serpView } from "../../serp.ts";
import { coordinate, language, location, os, pageInput } from "../../search.ts";

export const dateRanges = [
  "today",
  "tomorrow",
  "this_week",
  "this_weekend",
  "next_week",
  "this_month",
  "next_month",
] as const;
export type DateRange = (typeof dateRanges)[number];

const search = operation({
  id: "events.search",
  method: "POST",
  path: "/events/search",
  summary: "Events with date, venue and tickets",
  description:
    "Date, venue and tickets are in `extras` in every view, performers in full. Times with a zone are UTC, others local to the venue; a day alone is all that is known, and with `is_date_open` not even that is settled.",
  input: pageInput({
    query,
    location: location.describe(
      'ISO 3166-1 alpha-2 code, country, "City,Region,Country", "lat,lng[,radius in metres]" or geo code (2000 + ISO numeric is a country)',
    ),
    coordinate: coordinate(),
    language,
    date_range: z
      .enum(dateRanges)
      .optional()
      .describe("All coming events without it; days are UTC"),
    os,
    limit: z.int().min(1).max(700).default(10).describe("Most events to return"),
    view: serpView,
  }),
  data: z.object({ ...serpAnswer, results: z.array(serpListElement) }),
  records: perElement,
  example: { query: "jazz", location: "Chicago,Illinois,United States", limit: 5 },
});

export const events = area({
  name: "events",
  summary: "Events and where to get tickets",
  pool: "serp",
  operations: [search],
});
