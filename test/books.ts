import type { Sql } from "../db/client.ts";

/** Answer that a caller received for one call, as far as the books must agree with it. */
export interface CallerAnswer {
  status: number;
  /** Credits of the billing block; undefined where the answer has none. */
  credits: number | undefined;
}

interface Booked {
  id: string;
  state: "open" | "settled" | "void";
  /** Sum of the ledger's entries on the account's side, as credits taken. */
  taken: number;
  entries: number;
  settles: number;
  status: number | null;
  settled: number | null;
  used: number | null;
  usages: number;
}

const booksOf = (sql: Sql) => sql<Booked[]>`
  select h.id, h.state, l.taken, l.entries, s.settles, s.status, s.credits as settled,
    u.credits as used, u.usages
  from holds h
    cross join lateral (select coalesce(-sum(amount), 0)::int as taken, count(*)::int as entries
      from ledger where transaction_id = h.id and side = 'account') l
    cross join lateral (select count(*)::int as settles, max(status) as status,
      max(credits)::int as credits from settlements where hold_id = h.id) s
    cross join lateral (select count(*)::int as usages, max(credits)::int as credits
      from usage where request_id = h.id) u`;

/**
 * Contradictions between answers and books. Each 200 must have exactly one settle of the same
 * credits, a 404 at most one of none, any other status none. A call without an answer (`unanswered`
 * of them) may be settled unnoticed.
 */
export async function disagreements(
  sql: Sql,
  answers: ReadonlyMap<string, CallerAnswer>,
  unanswered: number,
): Promise<string[]> {
  const books = new Map((await booksOf(sql)).map((call) => [call.id, call]));
  const found: string[] = [];
  for (const [id, { status, credits }] of answers) {
    const call = books.get(id);
    const says = (what: string) => found.push(`${id} answered ${status}: ${what}`);
    if (status === 200 && credits !== undefined) {
      if (call?.settles !== 1) says(`${call?.settles ?? "no hold, no"} settles`);
      else if (call.settled !== credits || call.taken !== credits || call.used !== credits) {
        says(`answered ${credits}, settled ${call.settled}, took ${call.taken}, used ${call.used}`);
      } else if (call.usages !== 1 || call.entries > 1) {
        says(`${call.usages} rows of usage, ${call.entries} entries`);
      }
    } else if (call && call.taken !== 0) says(`charged ${call.taken}`);
    else if (call && call.settles > 0 && (status !== 404 || call.status !== 404)) says("settled");
  }
  const silent = [...books.values()].filter((call) => call.settles > 0 && !answers.has(call.id));
  if (silent.length > unanswered) {
    found.push(`${silent.length} calls settled where ${unanswered} had no answer`);
  }
  return found;
}

/**
 * Milliseconds until every hold must be released: `graceMs` after the last deadline among the open ones,
 * and 20 s for the sweeps of a busy machine.
 */
export async function untilHoldsReturn(sql: Sql, graceMs: number): Promise<number | undefined> {
  const [row] = await sql<{ ms: number | null }[]>`
    select extract(epoch from max(deadline) - clock_timestamp())::float8 * 1000 as ms
    from holds where state = 'open'`;
  return row?.ms == null ? undefined : row.ms + graceMs + 20_000;
}
