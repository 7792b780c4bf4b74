import type { Database } from "./client.ts";
import { verifications } from "./schema.ts";

/** The last result of `gateway verify` for each operation. */
export interface Verification {
  operation: string;
  at: Date;
  verdict: string;
  cause: string | null;
  /** The last time that the operation worked; null where it never did. */
  workedAt: Date | null;
}

export async function keepVerification(
  db: Database,
  { operation, verdict, cause }: { operation: string; verdict: string; cause?: string | undefined },
): Promise<void> {
  const worked = verdict === "works" || verdict === "works_but";
  await db.answer(db.sql`
    insert into verifications (operation, at, verdict, cause, worked_at)
    values (${operation}, clock_timestamp(), ${verdict}, ${cause ?? null},
      case when ${worked}::boolean then clock_timestamp() end)
    on conflict (operation) do update set
      at = excluded.at, verdict = excluded.verdict, cause = excluded.cause,
      worked_at = coalesce(excluded.worked_at, verifications.worked_at)`);
}

export async function readVerifications(db: Database): Promise<Verification[]> {
  return db.answer(db.orm.select().from(verifications).orderBy(verifications.operation));
}
