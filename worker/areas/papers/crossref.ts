import { GatewayError } from "../../../contract/errors.ts";
import type { Call } from "../../connector.ts";
import { type Slice, sliced } from "../../mapping/sliced.ts";
import { crossref } from "../../upstreams/crossref/client.ts";
import { type Wire, array, at, count, found, need, object, rows } from "#wire";
import { isRedirect, targetOf, withRedirects } from "../../transport/moved.ts";
import { article, summaryOf } from "./crossref.map.ts";
import { doiOf } from "./work.map.ts";

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

/** One DOI may stand in place of another that stood in place of a third. */
const mostAliases = 2;

/** A work by its DOI. Crossref leads from a DOI that was replaced by another to that one. */
export async function workMessage(call: Call, doi: string): Promise<Wire> {
  let asked = doi;
  for (let aliases = 0; ; aliases += 1) {
    const path = `/works/${encodeURIComponent(asked)}`;
    const reply = await call.send(withRedirects(crossref), { method: "GET", path });
    if (!isRedirect(reply)) return need(object(at(reply.body, "message")), "message");
    const prime = doiAt(targetOf(reply));
    asked = found(aliases < mostAliases && prime !== asked ? prime : undefined, "work");
  }
}

/** The DOI at the end of an address such as https://api.crossref.org/works/10.1234%2Fabcd. */
const doiAt = (address: string): string | undefined =>
  doiOf(`https://doi.org/${/\/works\/([^?#]+)/.exec(address)?.[1] ?? ""}`);

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
