import * as z from "zod";
import { day, id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import { archiveItem, archiveItemHit, capture, nearestCapture } from "./records.ts";

const internetArchive: Source = {
  name: "Internet Archive",
  url: "https://archive.org",
  licence: "terms of use",
  terms: "https://archive.org/about/terms",
};
const sources = [internetArchive];

const address = z
  .string()
  .trim()
  .min(1)
  .max(2048)
  .regex(/^[^\s\p{Cc}]+$/u, { message: "must be an address without spaces" })
  .describe("Address of the page, with or without scheme");

const firstDay = "1996-01-01";

export const archive = area({
  name: "archive",
  summary: "Captures of web pages over the years, and the items of the Internet Archive",
  pool: "social",
  operations: [
    operation({
      id: "archive.captures.list",
      method: "GET",
      path: "/archive/captures",
      summary: "Captures of a page, or of all pages of a folder or site, oldest first",
      input: z.strictObject({
        url: address,
        match: z
          .enum(["exact", "prefix", "host", "domain"])
          .default("exact")
          .describe("The page alone, all below its path, its host, or its host with subdomains"),
        from_date: day("First day in UTC", firstDay).optional(),
        to_date: day("Last day in UTC", firstDay).optional(),
        status: z
          .int()
          .min(100)
          .max(599)
          .optional()
          .describe("Only captures with this HTTP status"),
        content_type: z
          .string()
          .trim()
          .regex(/^[a-z0-9][a-z0-9.+-]*\/[a-z0-9][a-z0-9.+-]*$/, {
            message: "must be a media type such as text/html",
          })
          .optional()
          .describe("Only captures of this media type"),
        one_per: z
          .enum(["capture", "content", "day", "month", "year", "page"])
          .default("capture")
          .describe("Of neighbouring captures alike in this, only the first"),
        ...page({ most: 1000, default: 100 }),
      }),
      data: z.array(capture),
      paginated: true,
      records: perPage,
      sources,
      example: { url: "https://www.example.com/", limit: 5 },
    }),
    operation({
      id: "archive.captures.nearest",
      method: "GET",
      path: "/archive/capture",
      summary: "The capture of a page that is nearest to a day",
      input: z.strictObject({
        url: address,
        date: day("Day in UTC; the latest capture where it is absent", firstDay).optional(),
      }),
      data: nearestCapture,
      records: { kind: "one" },
      sources,
      example: { url: "https://www.example.com/", date: "2015-06-01" },
    }),
    operation({
      id: "archive.items.search",
      method: "GET",
      path: "/archive/items",
      summary: "Items of the archive: texts, audio, films, software, pictures",
      description: "The source shows the first 10,000 of a search.",
      input: z.strictObject({
        query: text(
          1,
          300,
          "Words, or a query such as `creator:(sample) AND year:1925` in the source's syntax",
        ),
        media_type: z
          .enum(["texts", "audio", "movies", "software", "image", "web", "data", "collection"])
          .optional()
          .describe("Only items of this kind"),
        sort: z
          .enum(["best", "downloads", "published", "date"])
          .default("best")
          .describe("Order: fit, most views, latest in the archive, latest work"),
        ...page({ most: 100, default: 20 }),
      }),
      data: z.array(archiveItemHit),
      paginated: true,
      records: perPage,
      sources,
      example: { query: "harbour", media_type: "texts", limit: 5 },
    }),
    operation({
      id: "archive.items.get",
      method: "GET",
      path: "/archive/items/{id}",
      summary: "One item with its files",
      input: z.strictObject({
        id: id(
          /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/,
          "Item",
          "its identifier of 1 to 100 letters, digits, `_`, `.` and `-`",
        ),
      }),
      data: archiveItem,
      records: { kind: "one" },
      sources,
      example: { id: "sample-harbour-guide" },
    }),
  ],
});
