import type { Call } from "../../connector.ts";
import { congress } from "../../upstreams/congress/client.ts";
import { numbered } from "./pages.ts";

export type Query = Readonly<Record<string, string | number | undefined>>;

/** An answer of Congress.gov; `path` begins behind its version. */
export async function getCongress(call: Call, path: string, query: Query = {}) {
  const request = {
    method: "GET",
    path: `/v3${path}`,
    query: { format: "json", ...query },
  } as const;
  return (await call.send(congress, request)).body;
}

/** Most rows of a page of the source. */
const most = 250;

interface List<Row> {
  path: string;
  query?: Query;
  read: (body: unknown) => { rows: Row[]; total: number };
  /** Identity of a row, where it has one. */
  key?: (row: Row) => string;
}

/** A list of Congress.gov by offsets. */
export const congressPages = <Row>(
  call: Call,
  limit: number,
  { path, query, read, key }: List<Row>,
) =>
  numbered(call, {
    limit,
    size: Math.min(most, limit),
    first: 0,
    key,
    async fetch(offset, size) {
      const { rows, total } = read(
        await getCongress(call, path, { ...query, offset, limit: size }),
      );
      const next = offset + size;
      // Amendments among a member's bills are left out, often many in a row.
      return { rows, next: next < total ? next : null, advances: true };
    },
  });
