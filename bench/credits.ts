import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { addCredits, createAccount } from "../db/accounts.ts";
import { audit } from "../db/audit.ts";
import { CallStore } from "../db/calls.ts";
import { testDatabase } from "../test/database.ts";
import { type Figure, pairs } from "./figures.ts";
import { timed } from "./timed.ts";

const atOnce = 64;
const hold = 20;

/**
 * Reserve and settle of keyed calls on one account, with the stored answer: the call store beside the
 * bare driver running the same statements as two plain transactions.
 */
export async function credits(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const db = await testDatabase();
  const bare = postgres(db.url, { max: 10, fetch_types: false, onnotice: () => {} });
  try {
    const accountId = await createAccount(db, "bench");
    await addCredits(db, accountId, "live", 100_000_000, "bench");
    const body = Buffer.from(JSON.stringify({ data: "x".repeat(1000) }));
    const deadline = () => Date.now() + 60_000;

    async function plain(): Promise<void> {
      const id = randomUUID();
      await bare.begin(async (sql) => {
        await sql`select balance from balances where account_id = ${accountId} and mode = 'live' for update`;
        await sql`insert into replays (account_id, mode, key, fingerprint, request_id)
          values (${accountId}, 'live', ${id}, 'f', ${id}) on conflict do nothing`;
        await sql`update balances set held = held + ${hold} where account_id = ${accountId} and mode = 'live'`;
        await sql`insert into holds (id, account_id, mode, key_id, operation, amount, deadline, idempotency_key)
          values (${id}, ${accountId}, 'live', 'bench', 'bench.call', ${hold}, ${new Date(deadline())}, ${id})`;
      });
      await bare.begin(async (sql) => {
        await sql`select balance from balances where account_id = ${accountId} and mode = 'live' for update`;
        await sql`update holds set state = 'settled' where id = ${id} and state = 'open'`;
        const [row] = await sql`update balances set balance = balance - 3, held = held - ${hold}
          where account_id = ${accountId} and mode = 'live' returning balance - held as available`;
        await sql`insert into settlements values (${id}, 3, 3, false, ${row?.["available"]}, 200)`;
        await sql`insert into ledger values (${id}, 'account', ${accountId}, 'live', -3, 'bench.call'),
          (${id}, 'revenue', ${accountId}, 'live', 3, 'bench.call')`;
        await sql`insert into usage values (${id}, ${accountId}, 'live', 'bench', 'bench.call', 200, null, 3, 3, 1)`;
        await sql`update replays set state = 'final', content_type = 'application/json', body = ${body}
          where account_id = ${accountId} and mode = 'live' and key = ${id}`;
      });
    }

    const store = new CallStore(db);
    async function stored(): Promise<void> {
      const id = randomUUID();
      const reserved = await store.reserve({
        requestId: id,
        accountId,
        mode: "live",
        keyId: "bench",
        operation: "bench.call",
        minimum: 0,
        most: hold,
        deadline: deadline(),
        idempotency: { key: id, fingerprint: "f" },
      });
      if (reserved.kind !== "held") throw new Error(`reserve: ${reserved.kind}`);
      const settled = await store.settle({
        requestId: id,
        credits: 3,
        records: 3,
        truncated: false,
        status: 200,
        durationMs: 1,
        stored: { contentType: "application/json", body },
      });
      if (settled.kind !== "settled") throw new Error(`settle: ${settled.kind}`);
    }

    const many = { ours: [] as number[], floor: [] as number[] };
    const single = { ours: [] as number[], floor: [] as number[] };
    for (let round = 0; round <= options.rounds; round += 1) {
      const { seconds } = options;
      const figures = {
        floor: await timed(atOnce, seconds, plain),
        ours: await timed(atOnce, seconds, stored),
        floor1: await timed(1, seconds, plain),
        ours1: await timed(1, seconds, stored),
      };
      if (round === 0) continue;
      many.floor.push(figures.floor.perSecond);
      many.ours.push(figures.ours.perSecond);
      single.floor.push(figures.floor1.p50);
      single.ours.push(figures.ours1.p50);
    }
    const violations = await audit(db);
    if (violations.length > 0) throw new Error(`the books: ${JSON.stringify(violations[0])}`);
    return [
      pairs("settled calls on one account, 64 at once", "calls/s", "≥ 8 x", many.ours, many.floor),
      pairs("the same, one at a time", "ms p50", "", single.ours, single.floor),
    ];
  } finally {
    await bare.end();
    await db.drop();
  }
}
