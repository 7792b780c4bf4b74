import { accountNamed, addCredits, createAccount } from "../db/accounts.ts";
import { connect } from "../db/client.ts";
import { createKey, listKeys } from "../db/keys.ts";
import { type FirstKeys, localAccount } from "./first-keys.ts";

/** Runs as a process of its own, so that the start does not keep the database layer in memory. */

const liveCredits = 10_000;

/** Creates the account `local` and its keys; undefined when the account has keys already. */
async function createFirstAccount(
  databaseUrl: string,
  pepper: string,
): Promise<FirstKeys | undefined> {
  const db = connect(databaseUrl, { max: 1, name: "gateway start" });
  try {
    const found = await accountNamed(db, localAccount);
    const accountId = found?.id ?? (await createAccount(db, localAccount));
    if ((await listKeys(db, accountId)).length > 0) return undefined;
    // An interrupted start may have added the credits already.
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

const keys = await createFirstAccount(
  process.env["DATABASE_URL"] ?? "",
  process.env["KEY_PEPPER"] ?? "",
);
process.stdout.write(JSON.stringify(keys ?? null));
