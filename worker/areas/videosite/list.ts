import type { VideositeAuthor } from "../../../contract/areas/videosite/records.ts";
import type { Json } from "../../../contract/json.ts";
import type { Answer, Call } from "../../connector.ts";
import { collect } from "../../mapping/list.ts";
import { type Question, ask, visitorOf } from "../../upstreams/youtube/innertube.ts";
import { ShapeError, at, count, rows, text } from "#wire";
import { listing } from "./node.map.ts";

interface About {
  /** Position of the row in the whole list, from 1. */
  rank: number;
  /** The answer with the entry. */
  page: unknown;
  owner: VideositeAuthor | undefined;
}

interface Source<Row> {
  limit: number;
  country?: string | undefined;
  /** Requests the first page; undefined where there is no such list. */
  first(): Promise<unknown>;
  /** Path of the requests for continuations. */
  path: Question["path"];
  /** Reads one entry. */
  read(entry: unknown, about: About): Row | undefined;
  /** Reads the list's owner, where only the first page names it. */
  owner?(page: unknown): VideositeAuthor;
  key(row: Row): string;
}

/**
 * A list that the site continues by tokens. A token works only for the visitor it was issued to, so the
 * cursor contains both, with the number of rows before it and the list's owner.
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
      const asked = token
        ? await ask(call, { path: source.path, body: { continuation: token }, country, visitor })
        : await source.first();
      if (asked === undefined) return { rows: [] };
      const owner = token
        ? (at(position, "a") as VideositeAuthor | undefined)
        : source.owner?.(asked);
      // The texts of comments stand in the same answer as their rows.
      const { found, page } = await itemsFirst(call, source, asked, visitor);
      let rank = before;
      const read = rows(found.entries, "entries", (entry) => {
        rank += 1;
        const row = source.read(entry, { rank, page, owner });
        if (row === undefined) rank -= 1;
        return row;
      });
      if (found.token === undefined) return { rows: read, more: found.more };
      const next = {
        t: found.token,
        v: visitor ?? (await visitorOf(call, country)),
        n: rank,
        ...(owner ? { a: owner as Json } : {}),
      };
      // Entries of other kinds may fill a page; the last page of a search has a message only.
      return { rows: read, next, advances: read.length === 0 && found.entries.length > 0 };
    },
  });
  return { data: list.rows, pagination: list.pagination, truncated: list.truncated };
}

/** The first page; one without rows but with a continuation is followed once. */
async function itemsFirst<Row>(
  call: Call,
  source: Source<Row>,
  page: unknown,
  visitor: string | undefined,
) {
  const found = listing(page);
  if (found && (found.entries.length > 0 || found.token === undefined)) return { found, page };
  if (!found?.token) throw new ShapeError("contents");
  const body = { continuation: found.token };
  const next = await ask(call, { path: source.path, body, country: source.country, visitor });
  const behind = listing(next);
  return behind ? { found: behind, page: next } : { found, page };
}
