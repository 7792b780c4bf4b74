import { and, asc, count, eq, gte, lt, sql as fragment, sum } from "./drizzle.ts";
import type { Database } from "./client.ts";
import { usage } from "./schema.ts";
import type { Mode } from "./schema.ts";

export interface UsageRow {
  /** Calendar day in UTC, YYYY-MM-DD. */
  day: string;
  area: string;
  operation: string;
  calls: number;
  /** Calls that ended with an error. */
  errors: number;
  credits: number;
  records: number;
}

/** Calls per day, area and operation: `from` is included, `to` is not. */
export async function usageBy(
  db: Database,
  accountId: number,
  mode: Mode,
  { from, to }: { from: Date; to: Date },
): Promise<UsageRow[]> {
  const day = fragment<string>`to_char(${usage.at} at time zone 'UTC', 'YYYY-MM-DD')`;
  return db.answer(
    db.orm
      .select({
        day,
        area: fragment<string>`split_part(${usage.operation}, '.', 1)`,
        operation: usage.operation,
        calls: count().mapWith(Number),
        errors: fragment`count(${usage.errorType})`.mapWith(Number),
        credits: sum(usage.credits).mapWith(Number),
        records: sum(usage.records).mapWith(Number),
      })
      .from(usage)
      .where(
        and(
          eq(usage.accountId, accountId),
          eq(usage.mode, mode),
          gte(usage.at, from),
          lt(usage.at, to),
        ),
      )
      .groupBy(day, usage.operation)
      .orderBy(asc(day), asc(usage.operation)),
    10_000,
  );
}
