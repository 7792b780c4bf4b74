import { GatewayError } from "../../../contract/errors.ts";
import type { Call } from "../../connector.ts";
import { type Slice, sliced } from "../../mapping/sliced.ts";
import { crossref } from "../../upstreams/crossref/client.ts";
import { type Wire, array, at, count, need, object, rows } from "#wire";
import { article, summaryOf } from "./crossref.map.ts";

/** The source refuses an offset beyond this number of rows. */
const last = 10_000;
const size = { most: 100 };

type Query = Readonly<Record<string, string | number | undefined>>;

export async function messageOf(call: Call, path: string, query: Query = {}): Promise<Wire> {
  const { body } = await call.send(crossref, { method: "GET", path, query });
  return need(object(at(body, "message")), "message");
}

/** A list of the source, sliced by `rows` and `offset`. */
export function listOf<Row>(
  call: Call,
  path: string,
  input: { limit: number },
  query: Query,
  read: (row: Wire) => Row,
  key?: (row: Row) => string,
) {
  return sliced(call, {
    limit: input.limit,
    size,
    last,
    key,
    async fetch(offset, rowCount): Promise<Slice<Row>> {
      const message = await messageOf(call, path, { ...query, rows: rowCount, offset });
      return {
        rows: rows(message.items, "message.items", read),
        total: need(count(message["total-results"]), "message.total-results"),
      };
    },
  });
}

export interface WorksInput {
  limit: number;
  q?: string | undefined;
  type?: string | undefined;
  from_date?: string | undefined;
  to_date?: string | undefined;
  sort: "relevance" | "newest" | "oldest" | "most_cited";
  view: "summary" | "full";
}

/** The source's names of kinds that have another name here. */
const typeNames: Readonly<Record<string, string>> = {
  "conference-paper": "proceedings-article",
  preprint: "posted-content",
};

const orders = {
  relevance: {},
  newest: { sort: "published", order: "desc" },
  oldest: { sort: "published", order: "asc" },
  most_cited: { sort: "is-referenced-by-count", order: "desc" },
} as const;

/** Works of the whole source, of a journal or of a funder. */
export function worksOf(call: Call, path: string, input: WorksInput) {
  const filters = {
    type: input.type === undefined ? undefined : (typeNames[input.type] ?? input.type),
    "from-pub-date": input.from_date,
    "until-pub-date": input.to_date,
  };
  const filter = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}:${value}`)
    .join(",");
  const query = { query: input.q, filter: filter || undefined, ...orders[input.sort] };
  const read = input.view === "summary" ? (row: Wire) => summaryOf(article(row)) : article;
  return listOf(call, path, input, query, read, (work) => work.id);
}

export const workPath = (doi: string) => `/works/${encodeURIComponent(doi)}`;

/** The references of a work; a work without any has no list. */
export function referencesOf(message: Wire): readonly unknown[] {
  const announced = count(message["references-count"]) ?? count(message["reference-count"]);
  if (message.reference === undefined && announced === 0) return [];
  return need(array(message.reference), "message.reference");
}

/** `undefined` in place of not found. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GatewayError && error.type === "not_found") return undefined;
    throw error;
  }
}
