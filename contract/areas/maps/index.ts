import * as z from "zod";
import { area, operation } from "../../operation.ts";
import { perElement, query, serpAnswer, serpListElement, serpView } from "../../serp.ts";
import { coordinate, device, language, location, os, pageInput } from "../../search.ts";

const search = operation({
  id: "maps.search",
  method: "POST",
  path: "/maps/search",
  summary: "Places on a map with address, hours and rating",
  description: "`url` is the place's own site. Adverts are free context, but count toward `limit`.",
  input: pageInput({
    query,
    location,
    coordinate: coordinate({ least: 3, most: 21, default: 17 }),
    language,
    device,
    os,
    search_this_area: z.boolean().default(true).describe("Only what the map shows"),
    search_places: z.boolean().optional(),
    limit: z.int().min(1).max(700).default(20).describe("Most places to return"),
    view: serpView,
  }),
  data: z.object({ ...serpAnswer, results: z.array(serpListElement) }),
  records: perElement,
  example: { query: "coffee", location: "Chicago,Illinois,United States", limit: 5 },
});

export const maps = area({
  name: "maps",
  summary: "Places on a map",
  pool: "serp",
  deadlineMs: 120_000,
  operations: [search],
});
