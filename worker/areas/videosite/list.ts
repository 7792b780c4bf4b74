import type { VideositeAuthor } from "../../../contract/areas/videosite/records.ts";
import type { Json } from "../../../contract/job.ts";
import type { Answer, Call } from "../../connector.ts";
import { collect } from "../../mapping/list.ts";
import { type Question, ask, visitorOf } from "../../upstreams/youtube/innertube.ts";
import { at, count, need, rows, text } from "#wire";
import { listing } from "./node.map.ts";

interface About {
  /** Number of the row in the whole list, from 1. */
  place: number;
  /** The answer that the entry came in. */
  page: unknown;
  owner: VideositeAuthor | undefined;
}

interface Source<Row> {
  limit: number;
  country?: string | undefined;
  /** Asks for the first page; undefined where there is no such list. */
  first(): Promise<unknown>;
  /** Where its continuations are asked for. */
  path: Question["path"];
  /** Reads one entry. */
  read(entry: unknown, about: About): Row | undefined;
  /** Whose list it is, where only the first page says so. */
  owner?(page: unknown): VideositeAuthor;
  key(row: Row): string;
}

/**
 * A list that the site continues by tokens. A token works for the visitor it was given to, so the
 * cursor holds both, with the number of rows before it and whose list it is.
 */
export async function listOf<Row>(call: Call, source: Source<Row>): Promise<Answer<Row[]>> {
  const { country } = source;
  const list = await collect<Row>(call, {
    limit: source.limit,
    key: (row) => source.key(row),
    async fetch(position) {
      const token = text(at(position, "t"));
      const visitor = text(at(position, "v"));
      const before = count(at(position, "n")) ?? 0;
      const page = token
        ? await ask(call, { path: source.path, body: { continuation: token }, country, visitor })
        : await source.first();
      if (page === undefined) return { rows: [] };
      const owner = token
        ? (at(position, "a") as VideositeAuthor | undefined)
        : source.owner?.(page);
      const found = await itemsFirst(call, source, page, visitor);
      let place = before;
      const read = rows(found.entries, "entries", (entry) => {
        place += 1;
        const row = source.read(entry, { place, page, owner });
        if (row === undefined) place -= 1;
        return row;
      });
      if (found.token === undefined) return { rows: read, more: found.more };
      const next = {
        t: found.token,
        v: visitor ?? (await visitorOf(call, country)),
        n: place,
        ...(owner ? { a: owner as Json } : {}),
      };
      return { rows: read, next };
    },
  });
  return { data: list.rows, pagination: list.pagination, truncated: list.truncated };
}

/** A first page may hold nothing but a continuation, which is followed once. */
async function itemsFirst<Row>(
  call: Call,
  source: Source<Row>,
  page: unknown,
  visitor: string | undefined,
) {
  const found = listing(page);
  if (found && (found.entries.length > 0 || found.token === undefined)) return found;
  if (!found?.token) return need(found, "contents");
  const body = { continuation: found.token };
  const next = await ask(call, { path: source.path, body, country: source.country, visitor });
  return listing(next) ?? found;
}
