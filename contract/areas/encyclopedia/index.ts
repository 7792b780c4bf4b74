import * as z from "zod";
import { day, id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import {
  encyclopediaEntity,
  encyclopediaEntityFound,
  encyclopediaEvent,
  encyclopediaFound,
  encyclopediaLanguages,
  encyclopediaPage,
  encyclopediaPageViews,
  encyclopediaQuery,
  encyclopediaSummary,
} from "./records.ts";

const wikipedia: Source = {
  name: "Wikipedia",
  url: "https://www.wikipedia.org",
  licence: "CC BY-SA 4.0",
  terms: "https://foundation.wikimedia.org/wiki/Policy:Terms_of_Use",
  attribution: "Wikipedia contributors, with a link to the page",
};
const wikidata: Source = {
  name: "Wikidata",
  url: "https://www.wikidata.org",
  licence: "CC0",
  terms: "https://www.wikidata.org/wiki/Wikidata:Licensing",
};
const pageViews: Source = {
  name: "Wikimedia Analytics",
  url: "https://doc.wikimedia.org/generated-data-platform/aqs/analytics-api/",
  licence: "CC0",
  terms: "https://foundation.wikimedia.org/wiki/Policy:Terms_of_Use",
};

/** Each language is a host of its own, so that the list is closed. */
const languages = (
  "en simple de fr es it pt nl pl ru uk ja zh ko ar fa he tr sv no da fi cs sk hu ro bg el hr sr sl lt lv et " +
  "ca eu gl id ms vi th hi bn ta te mr ur ka hy az kk uz af sw eo la"
).split(" ") as [string, ...string[]];

const language = z
  .enum(languages)
  .default("en")
  .describe("Edition of the encyclopedia; `simple` is the one in simple English");

/** The wiki itself allows no part of dots: it would leave the folder of an address. */
const title = z
  .string()
  .trim()
  .max(255)
  .regex(/^[^#<>[\]{}|]*[^#<>[\]{}|./ ][^#<>[\]{}|]*$/, {
    message: "must be the title of a page, without # < > [ ] { } |",
  })
  .refine((given) => given.split("/").every((part) => !/^\.{1,2}$/.test(part)), {
    message: "must not contain the parts `.` and `..`",
  })
  .describe("Title of the page; the first letter's case does not matter");

const q = text(1, 300, "Words to look for");

export const encyclopedia = area({
  name: "encyclopedia",
  summary: "Pages of a free encyclopedia in many languages, and the entities that they are about",
  pool: "social",
  operations: [
    operation({
      id: "encyclopedia.summary",
      method: "GET",
      path: "/encyclopedia/summary",
      summary: "The introduction of a page, with its picture and place",
      sources: [wikipedia],
      input: z.strictObject({ title, language }),
      data: encyclopediaSummary,
      records: { kind: "one" },
      example: { title: "Sample lighthouse" },
    }),
    operation({
      id: "encyclopedia.page",
      method: "GET",
      path: "/encyclopedia/page",
      summary: "The text of a page as Markdown",
      sources: [wikipedia],
      input: z.strictObject({ title, language }),
      data: encyclopediaPage,
      records: { kind: "one", isNone: ({ markdown }) => markdown === "" },
      example: { title: "Sample lighthouse" },
    }),
    operation({
      id: "encyclopedia.search",
      method: "GET",
      path: "/encyclopedia/search",
      summary: "Pages by words of their text",
      description: "The source shows at most the first 10,000 pages of a search.",
      sources: [wikipedia],
      input: z.strictObject({ q, language, ...page({ most: 100, default: 20 }) }),
      data: z.array(encyclopediaFound),
      paginated: true,
      records: perPage,
      example: { q: "lighthouse", limit: 5 },
    }),
    operation({
      id: "encyclopedia.page_views",
      method: "GET",
      path: "/encyclopedia/page-views",
      summary: "How often people read a page, by day or month",
      sources: [pageViews],
      input: z.strictObject({
        title: title.describe(
          "Title of the page, whose case counts; redirects are counted separately",
        ),
        language,
        granularity: z.enum(["daily", "monthly"]).default("daily").describe("Span of each count"),
        from_date: day("First day; 30 days before `to_date` by default", "2015-07-01").optional(),
        to_date: day("Last day; yesterday by default", "2015-07-01").optional(),
      }),
      data: encyclopediaPageViews,
      records: { kind: "one", isNone: ({ series }) => series.length === 0 },
      example: { title: "Sample lighthouse", from_date: "2026-05-01", to_date: "2026-05-10" },
    }),
    operation({
      id: "encyclopedia.on_this_day",
      method: "GET",
      path: "/encyclopedia/on-this-day",
      summary: "What happened on a day of the year, who was born and who died",
      sources: [wikipedia],
      input: z.strictObject({
        month: z.int().min(1).max(12).describe("Month of the year"),
        day: z.int().min(1).max(31).describe("Day of the month"),
        type: z
          .enum(["selected", "events", "births", "deaths", "holidays"])
          .default("selected")
          .describe("`selected` are the events that editors chose"),
        language,
        ...page({ most: 500, default: 50 }),
      }),
      data: z.array(encyclopediaEvent),
      paginated: true,
      records: perPage,
      example: { month: 7, day: 20, limit: 5 },
    }),
    operation({
      id: "encyclopedia.languages",
      method: "GET",
      path: "/encyclopedia/languages",
      summary: "Titles of a page in other languages",
      sources: [wikipedia],
      input: z.strictObject({ title, language }),
      data: encyclopediaLanguages,
      records: { kind: "one" },
      example: { title: "Sample lighthouse" },
    }),
    operation({
      id: "encyclopedia.entities.get",
      method: "GET",
      path: "/encyclopedia/entities/{id}",
      summary: "A subject with its statements and its pages",
      sources: [wikidata],
      input: z.strictObject({
        id: id(/^Q[1-9][0-9]{0,11}$/, "Entity", "Q and a number of 1 to 12 digits", (given) =>
          given.trim().toUpperCase(),
        ),
        language: language.describe("Language of label, description and aliases"),
      }),
      data: encyclopediaEntity,
      records: { kind: "one" },
      example: { id: "Q42000001" },
    }),
    operation({
      id: "encyclopedia.entities.search",
      method: "GET",
      path: "/encyclopedia/entities/search",
      summary: "Subjects by the beginning of their names",
      sources: [wikidata],
      input: z.strictObject({
        q,
        language: language.describe("Language of the names"),
        ...page({ most: 100, default: 20 }),
      }),
      data: z.array(encyclopediaEntityFound),
      paginated: true,
      records: perPage,
      example: { q: "lighthouse", limit: 5 },
    }),
    operation({
      id: "encyclopedia.query",
      method: "POST",
      path: "/encyclopedia/query",
      summary: "Entities and their values by a SPARQL query",
      description:
        "The source stops a query after a minute. The whole answer is one record, and one without rows is free.",
      sources: [wikidata],
      input: z.strictObject({
        query: text(10, 8000, "SELECT query in SPARQL 1.1").refine(
          (given) => /\bselect\b/i.test(given),
          { message: "must be a SELECT query" },
        ),
        limit: z.int().min(1).max(1000).default(100).describe("Most rows to return"),
      }),
      data: encyclopediaQuery,
      records: {
        kind: "one",
        isNone: ({ rows }) => rows.length === 0,
      },
      deadlineMs: () => 90_000,
      example: {
        query: "SELECT ?item ?itemLabel WHERE { ?item wdt:P31 wd:Q39715 } LIMIT 5",
        limit: 5,
      },
    }),
  ],
});
