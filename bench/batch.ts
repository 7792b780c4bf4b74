import { setTimeout as sleep } from "node:timers/promises";
import { addCredits, createAccount } from "../db/accounts.ts";
import { createKey } from "../db/keys.ts";
import { testDatabase } from "../test/database.ts";
import { type Figure, pairs } from "./figures.ts";
import { load } from "./load.ts";
import { type Part, cpuMs, start } from "./process.ts";

const pepper = "benchmark-pepper-benchmark-pepper-bench";
const text = "x".repeat(200);

/** Items of a batch a second, from its first byte to its end, beside synchronous calls at 64 at once. */
export async function batch(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const { rounds, seconds } = options;
  const db = await testDatabase();
  const env = {
    DATABASE_URL: db.url,
    REDIS_URL: process.env["TEST_REDIS_URL"] as string,
    KEY_PEPPER: pepper,
  };
  const [api, worker] = (await Promise.all(
    ["api.ts", "worker.ts"].map((script) => start(`calls/${script}`, env)),
  )) as [Part, Part];
  try {
    const accountId = await createAccount(db, "bench");
    await db.sql`update accounts set rate_per_second = 1000000, max_in_flight = 100000`;
    await addCredits(db, accountId, "live", 1_000_000_000, "bench");
    const { key } = await createKey(db, pepper, { accountId, mode: "live" });
    const headers = { authorization: `Bearer ${key}` };
    const body = JSON.stringify({ text });
    const shot = () => ({
      path: "/bench/noop",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    const spent = () =>
      [api, worker].reduce((sum, { child }) => sum + (cpuMs(child.pid as number) ?? 0), 0);

    async function items(count: number): Promise<number> {
      const lines = Array.from({ length: count }, (_, index) =>
        JSON.stringify({ custom_id: `${index}`, operation: "bench.noop", input: { text } }),
      );
      const from = performance.now();
      const answer = await fetch(`${api.line}/batches`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-ndjson" },
        body: lines.join("\n"),
      });
      const { data } = (await answer.json()) as { data: { id: string } };
      for (;;) {
        const now = await fetch(`${api.line}/batches/${data.id}`, { headers });
        const { state, items: counts } = (
          (await now.json()) as { data: { state: string; items: { succeeded: number } } }
        ).data;
        if (state === "ended") {
          if (counts.succeeded !== count) throw new Error(`${counts.succeeded} of ${count}`);
          return (count / (performance.now() - from)) * 1000;
        }
        await sleep(20);
      }
    }

    const rate = { batch: [] as number[], calls: [] as number[] };
    const work = { batch: [] as number[], calls: [] as number[] };
    // As many items as calls, so that both take about as long; the first round warms up.
    let count = 2000;
    for (let round = 0; round <= rounds; round += 1) {
      const before = spent();
      const { perSecond, times } = await load(api.line, 64, seconds, shot);
      const between = spent();
      count = Math.min(10_000, Math.max(1000, times.length));
      const perSecondOfBatch = await items(count);
      if (round === 0) continue;
      rate.calls.push(perSecond);
      rate.batch.push(perSecondOfBatch);
      work.calls.push((between - before) / times.length);
      work.batch.push((spent() - between) / count);
    }
    return [
      pairs(
        "items of a batch beside 64 calls at once",
        "items/s",
        "≥ 1.3 x",
        rate.batch,
        rate.calls,
      ),
      pairs("processor time of an item, API and worker", "ms", "", work.batch, work.calls),
    ];
  } finally {
    await Promise.all([api.stop(), worker.stop()]);
    await db.drop();
  }
}
