import { setTimeout as sleep } from "node:timers/promises";
import { type Attempt, type BookedCall, contradictions } from "../faults/history.ts";
import type { Stage } from "./stage.ts";
import type { Seen } from "./traffic.ts";

/** Credits currently set aside for calls. */
async function heldIn({ gateway }: Stage): Promise<number> {
  const [row] = await gateway.db.sql<{ held: number }[]>`
    select sum(held)::int as held from balances`;
  return row?.held ?? 0;
}

/** Waits until no credit is held; returns the remaining holds after `withinMs`. */
export async function released(stage: Stage, withinMs: number): Promise<number> {
  const end = Date.now() + withinMs;
  for (;;) {
    const held = await heldIn(stage);
    if (held === 0 || Date.now() > end) return held;
    await sleep(500);
  }
}

/** Waits until no job, batch or delivery is open; says what is left after `withinMs`. */
export async function backgroundOpen({ gateway }: Stage, withinMs: number): Promise<string[]> {
  const end = Date.now() + withinMs;
  for (;;) {
    const left = await gateway.db.sql<{ what: string }[]>`
      select 'job ' || request_id || ': ' || state as what from jobs
        where state in ('queued', 'running')
      union all
      select 'batch ' || public_id || ': ' || state from batches where ended_at is null
      union all
      select 'event ' || event_id || ': ' || state from webhook_deliveries
        where state in ('pending', 'sending')`;
    if (left.length === 0 || Date.now() > end) return left.map(({ what }) => `${what}, still open`);
    await sleep(500);
  }
}

/** Moves the deadline of every hold without a process into the past. */
export async function ageHolds({ gateway }: Stage): Promise<void> {
  await gateway.db.sql`update holds set deadline = now() where state = 'open'`;
}

/** All contradictions between the callers' answers and the books. */
export async function bookFaults(
  { gateway }: Stage,
  seen: readonly Seen[],
  background: readonly Attempt[],
): Promise<string[]> {
  const rows = await gateway.db.sql<
    (Omit<BookedCall, "settled"> & { credits: number | null; records: number; available: number })[]
  >`
    select h.id as "requestId", h.account_id as account, h.state,
      -- A job without a key has one of the gateway's own.
      case when h.idempotency_key not like chr(1) || '%' then h.idempotency_key end as key,
      coalesce(l.taken, 0)::int as taken, s.credits, s.records, s.available, u.credits as used
    from holds h
      left join settlements s on s.hold_id = h.id
      left join usage u on u.request_id = h.id
      left join (
        select transaction_id, -sum(amount) as taken from ledger
        where side = 'account' group by transaction_id
      ) l on l.transaction_id = h.id`;
  const books: BookedCall[] = rows.map(({ credits, records, available, ...call }) => ({
    ...call,
    ...(credits === null ? {} : { settled: { credits, records, available } }),
  }));
  const found = await gateway.violations();
  // A refused connection carried no call.
  const calls = seen.filter(({ billed, refused }) => billed && !refused);
  return [...found, ...contradictions([...calls, ...background], books, [])];
}
