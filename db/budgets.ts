import type { Database } from "./client.ts";
import type { Mode } from "./schema.ts";

/** What a key may spend at this moment. */
export interface Standing {
  /** Credits of the account that are not set aside. */
  available: number;
}

export type BudgetStore = ReturnType<typeof budgetStore>;

export function budgetStore(db: Database) {
  async function standing(caller: { accountId: number; mode: Mode }): Promise<Standing> {
    const { accountId, mode } = caller;
    const [row] = await db.answer(
      db.sql<Standing[]>`
        select b.balance - b.held as available from balances b
        where b.account_id = ${accountId} and b.mode = ${mode}`,
    );
    return row ?? { available: 0 };
  }

  return { standing };
}
