import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

/** The webhook endpoints of all accounts, for operators. */

export interface ListedEndpoint {
  id: string;
  account: string;
  accountId: number;
  mode: Mode;
  /** Null for the endpoint that stands for the addresses of single jobs and batches. */
  url: string | null;
  /** Deliveries that wait or are being sent. */
  pending: number;
  /** Seconds since the oldest of them became due; 0 when none is. */
  oldestSeconds: number;
  dropped: number;
  /** Unix times in milliseconds. */
  failingSince: number | null;
  offSince: number | null;
  offReason: "owner" | "failing" | "gone" | null;
}

/** Failing endpoints first, then those with most waiting deliveries; all of them, of one account, or one by its id. */
export async function listEndpoints(
  db: Database,
  { account, id, limit }: { account?: string | undefined; id?: string | undefined; limit: number },
): Promise<ListedEndpoint[]> {
  const { sql } = db;
  return db.answer(
    sql<ListedEndpoint[]>`
      select w.id, a.name as account, w.account_id as "accountId", w.mode, w.url,
        coalesce(d.pending, 0)::float8 as pending,
        coalesce(greatest(0, extract(epoch from clock_timestamp() - d.oldest)), 0)::float8 as "oldestSeconds",
        w.dropped::float8 as dropped, extract(epoch from w.failing_since)::float8 * 1000 as "failingSince",
        extract(epoch from w.off_since)::float8 * 1000 as "offSince", w.off_reason as "offReason"
      from webhook_endpoints w join accounts a on a.id = w.account_id
        left join (
          select endpoint_id, count(*) as pending, min(due_at) as oldest from webhook_deliveries
          where state in ('pending', 'sending') group by endpoint_id) d on d.endpoint_id = w.id
      where true
        ${account === undefined ? sql`` : sql`and a.name = ${account}`}
        ${id === undefined ? sql`` : sql`and w.id = ${id}`}
      order by (w.failing_since is not null and w.off_since is null) desc, pending desc, (w.off_since is not null) desc,
        a.name, w.created_at limit ${limit}`,
    5_000,
  );
}
