import { accountNamed, addCredits, createAccount } from "../db/accounts.ts";
import { connect } from "../db/client.ts";
import { createKey, listKeys } from "../db/keys.ts";

export const localAccount = "local";
const liveCredits = 10_000;

export interface FirstKeys {
  live: string;
  test: string;
}

/** Creates the account `local` and its keys; undefined when it has keys already. */
export async function createFirstAccount(
  databaseUrl: string,
  pepper: string,
): Promise<FirstKeys | undefined> {
  const db = connect(databaseUrl, { max: 1, name: "gateway start" });
  try {
    const found = await accountNamed(db, localAccount);
    const accountId = found?.id ?? (await createAccount(db, localAccount));
    if ((await listKeys(db, accountId)).length > 0) return undefined;
    // A start that was interrupted here may have booked the credits already.
    if (!found?.balances.live.balance) {
      await addCredits(db, accountId, "live", liveCredits, "first start");
    }
    const live = await createKey(db, pepper, { accountId, mode: "live" });
    const test = await createKey(db, pepper, { accountId, mode: "test" });
    return { live: live.key, test: test.key };
  } finally {
    await db.close();
  }
}
