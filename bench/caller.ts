import { addCredits, createAccount } from "../db/accounts.ts";
import type { Database } from "../db/client.ts";
import { createKey } from "../db/keys.ts";

export const pepper = "benchmark-pepper-benchmark-pepper-bench";

/** Headers of a caller without effective limits and with credits for any run. */
export async function freeCaller(db: Database): Promise<{ authorization: string }> {
  const accountId = await createAccount(db, "bench");
  await db.sql`update accounts set rate_per_second = 1000000, max_in_flight = 100000`;
  await addCredits(db, accountId, "live", 1_000_000_000, "bench");
  const { key } = await createKey(db, pepper, { accountId, mode: "live" });
  return { authorization: `Bearer ${key}` };
}
