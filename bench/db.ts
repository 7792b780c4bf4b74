import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { addCredits, createAccount } from "../db/accounts.ts";
import { audit } from "../db/audit.ts";
import { callStore } from "../db/calls.ts";
import { testDatabase } from "../test/database.ts";

/**
 * Reserve and settle on one account, 64 at once: the store against the bare driver doing the same
 * statements as plain transactions, and the store one call at a time.
 * Needs TEST_DATABASE_URL; a number of seconds per measurement may follow.
 */

const seconds = Number(process.argv[2] ?? 5);
const atOnce = 64;
const hold = 20;

async function rate(
  concurrency: number,
  call: () => Promise<void>,
): Promise<{ perSecond: number; p50: number }> {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  const started = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < end) {
        const from = performance.now();
        await call();
        times.push(performance.now() - from);
      }
    }),
  );
  const perSecond = times.length / ((performance.now() - started) / 1000);
  return { perSecond, p50: times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0 };
}

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

  const store = callStore(db);
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

  const show = (name: string, { perSecond, p50 }: Awaited<ReturnType<typeof rate>>) =>
    console.log(`${name}: ${perSecond.toFixed(0)} calls/s, p50 ${p50.toFixed(1)} ms`);

  const slow = await rate(atOnce, plain);
  show(`plain transactions, ${atOnce} at once`, slow);
  const fast = await rate(atOnce, stored);
  show(`call store, ${atOnce} at once`, fast);
  console.log(`ratio: ${(fast.perSecond / slow.perSecond).toFixed(1)}`);
  show("plain transactions, one at a time", await rate(1, plain));
  show("call store, one at a time", await rate(1, stored));
  const violations = await audit(db);
  console.log(`audit: ${violations.length} violations`, violations.slice(0, 3));
} finally {
  await bare.end();
  await db.drop();
}
