import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

/** An account with open holds, and the number of its calls in flight. */
export interface InFlight {
  account: string;
  mode: Mode;
  running: number;
  /** In the queue, or on the way there or back. */
  waiting: number;
}

const limit = 10;

/** The accounts with the most calls of these operations; `active` are the ids of running jobs. */
export async function inFlight(
  db: Database,
  operations: readonly string[],
  active: readonly string[],
): Promise<InFlight[]> {
  return db.answer(
    db.sql<InFlight[]>`
      select a.name as account, h.mode,
        count(*) filter (where r.id is not null)::integer as running,
        count(*) filter (where r.id is null)::integer as waiting
      from holds h join accounts a on a.id = h.account_id
        left join jsonb_array_elements_text(${JSON.stringify(active)}::text::jsonb) as r (id)
          on r.id = h.id
      where h.state = 'open' and h.deadline > clock_timestamp()
        and h.operation in (
          select o from jsonb_array_elements_text(${JSON.stringify(operations)}::text::jsonb) as o)
      group by a.name, h.mode order by count(*) desc, a.name limit ${limit}`,
  );
}
