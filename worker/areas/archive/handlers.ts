import type { archive } from "../../../contract/areas/archive/index.ts";
import type { Connector } from "../../connector.ts";
import { listed, listedById } from "../../mapping/list.ts";
import { internetArchive, wayback } from "../../upstreams/internet-archive/client.ts";
import { array, at, count, found, need, rows, text } from "#wire";
import { captureColumns, capturesOf, nearest } from "./captures.map.ts";
import { item, itemHit } from "./items.map.ts";

export default {
  "archive.captures.list": async (input, call) => {
    const { url, match, from_date, to_date, status, content_type, one_per, limit } = input;
    const filter = [
      ...(status === undefined ? [] : [`statuscode:${status}`]),
      ...(content_type === undefined ? [] : [`mimetype:${escaped(content_type)}`]),
    ];
    const query = {
      url,
      matchType: match,
      fl: captureColumns.join(","),
      from: from_date === undefined ? undefined : digits(from_date),
      to: to_date === undefined ? undefined : digits(to_date),
      collapse: alike[one_per],
      showResumeKey: true,
      limit: pageSize,
    };
    return listed(call, {
      limit,
      async fetch(position) {
        const resumeKey = text(position) ?? text(at(position, "key"));
        const { body } = await call.send(wayback, {
          method: "GET",
          path: "/cdx/search/cdx",
          isText: true,
          headers: { accept: "text/plain" },
          query: { ...query, resumeKey },
          repeated: { filter },
        });
        const { captures, first, last, next } = capturesOf(body, one_per);
        // The index compares the captures of one page only, so a page may begin with one like the last one before.
        const before = text(at(position, "last"));
        const shown = before !== undefined && first === before ? captures.slice(1) : captures;
        const seen = last ?? before;
        return { rows: shown, next: next && seen ? { key: next, last: seen } : next };
      },
    });
  },
  "archive.captures.nearest": async ({ url, date }, call) => {
    const timestamp = date === undefined ? undefined : digits(date);
    const query = { url, timestamp };
    const { body } = await call.send(internetArchive, {
      method: "GET",
      path: "/wayback/available",
      query,
    });
    return { data: found(nearest(body), "capture") };
  },
  "archive.items.search": async ({ query, media_type, sort, limit }, call) =>
    listedById(call, { limit }, async (position) => {
      const page = count(position) ?? 1;
      const kind = media_type === undefined ? "" : ` AND mediatype:${media_type}`;
      const { body } = await call.send(internetArchive, {
        method: "GET",
        path: "/advancedsearch.php",
        query: {
          q: `(${query})${kind}`,
          fl: itemFields,
          "sort[]": orders[sort],
          rows: pageSize,
          page,
          output: "json",
        },
      });
      const list = need(array(at(body, "response", "docs")), "response.docs");
      const total = need(count(at(body, "response", "numFound")), "response.numFound");
      const reached = page * pageSize;
      const isLast = reached >= Math.min(total, mostFound);
      return { rows: rows(list, "response.docs", itemHit), next: isLast ? null : page + 1 };
    }),
  "archive.items.get": async ({ id }, call) => {
    const path = `/metadata/${encodeURIComponent(id)}`;
    const { body } = await call.send(internetArchive, { method: "GET", path });
    return { data: found(item(body), "item") };
  },
} satisfies Connector<typeof archive>;

const digits = (day: string) => day.replaceAll("-", "");
/** Filters are regular expressions. */
const escaped = (value: string) => value.replace(/[.+]/g, "\\$&");

/** Rows of one request. */
const pageSize = 100;
/** The source shows no more rows of a search. */
const mostFound = 10_000;

const alike = {
  capture: undefined,
  content: "digest",
  day: "timestamp:8",
  month: "timestamp:6",
  year: "timestamp:4",
  page: "urlkey",
} as const;

const orders = {
  best: undefined,
  downloads: "downloads desc",
  published: "publicdate desc",
  date: "date desc",
} as const;

const itemFields = [
  "identifier",
  "title",
  "mediatype",
  "creator",
  "description",
  "date",
  "language",
  "subject",
  "collection",
  "licenseurl",
  "publicdate",
  "downloads",
].join(",");
