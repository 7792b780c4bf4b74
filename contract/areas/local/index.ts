import * as z from "zod";
import { area, operation } from "../../operation.ts";
import { perElement, query, serpAnswer, serpListElement, serpView } from "../../serp.ts";
import { coordinate, device, language, location, os, pageInput } from "../../search.ts";

const weekday = "(monday|tuesday|wednesday|thursday|friday|saturday|sunday)";

const search = operation({
  id: "local.search",
  method: "POST",
  path: "/local/search",
  summary: "Local businesses with rating and phone number",
  input: pageInput({
    query,
    location,
    coordinate: coordinate({ least: 4, most: 18, default: 9 }),
    language,
    device,
    os,
    // No enum: client generators turn an enum of whole and fractional numbers into two types.
    min_rating: z
      .number()
      .min(2)
      .max(4.5)
      .multipleOf(0.5)
      .optional()
      .describe("In steps of 0.5; from 3.5 on a desktop"),
    time_filter: z
      .string()
      .regex(new RegExp(`^(any|open_now|24_hours|${weekday}(;([01]\\d|2[0-3]))?)$`))
      .max(20)
      .default("any")
      .describe("any, open_now, 24_hours, a weekday, or a weekday and an hour: friday;18"),
    limit: z.int().min(1).max(100).default(20).describe("Most businesses to return"),
    view: serpView,
  }),
  data: z.object({ ...serpAnswer, results: z.array(serpListElement) }),
  records: perElement,
  example: { query: "nail salon", location: "Chicago,Illinois,United States", limit: 5 },
});

export const local = area({
  name: "local",
  summary: "Local businesses as a search engine lists them",
  pool: "serp",
  deadlineMs: 120_000,
  operations: [search],
});
