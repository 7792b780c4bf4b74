import * as z from "zod";
import { operation } from "../../operation.ts";
import { language, location } from "../../search.ts";
import { keywordVolume } from "./records.ts";

export const searchVolume = operation({
  id: "geo.keywords.search_volume",
  method: "POST",
  path: "/geo/keywords/search-volume",
  summary: "How often up to 1000 keywords are asked in assistants",
  pool: "seo-bulk",
  input: z.strictObject({
    keywords: z
      .array(z.string().trim().min(1).max(250))
      .min(1)
      .max(1000)
      .describe("The results follow this order; duplicates appear once, at their first position"),
    location,
    language,
  }),
  data: z.object({
    location: z.string(),
    language: z.string(),
    results: z.array(keywordVolume).describe("In the order of `keywords`"),
    missing_keywords: z.array(z.string()).optional().describe("Not known to the source"),
    unprocessed_keywords: z.array(z.string()).optional().describe("Not paid for by the balance"),
  }),
  records: {
    kind: "list",
    rows: (data) => data.results,
    most: (input) => input.keywords.length,
  },
  example: { keywords: ["running shoes", "trail running", "zzz nobody asks"] },
});
