import { randomUUID } from "node:crypto";
import { addCredits, createAccount } from "../../db/accounts.ts";
import { createKey } from "../../db/keys.ts";
import { testDatabase } from "../../test/database.ts";
import { type Figure, pairs } from "../figures.ts";
import { type Shot, load } from "../load.ts";
import { start } from "../process.ts";

const pepper = "benchmark-pepper-benchmark-pepper-bench";
const body = JSON.stringify({ text: "x".repeat(200) });

/** A call through the queue, one at a time and 64 at once, and a replay, each beside its floor. */
export async function calls(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const { rounds, seconds } = options;
  const db = await testDatabase();
  const env = {
    DATABASE_URL: db.url,
    REDIS_URL: process.env["TEST_REDIS_URL"] as string,
    KEY_PEPPER: pepper,
  };
  const parts = await Promise.all(
    ["api.ts", "worker.ts", "floor-api.ts", "floor-worker.ts", "floor-replay.ts"].map((script) =>
      start(`calls/${script}`, env),
    ),
  );
  const [api, , floor, , floorReplay] = parts.map((part) => part.line) as [
    string,
    string,
    string,
    string,
    string,
  ];
  try {
    const accountId = await createAccount(db, "bench");
    await db.sql`update accounts set rate_per_second = 1000000, max_in_flight = 100000`;
    await addCredits(db, accountId, "live", 1_000_000_000, "bench");
    const { key } = await createKey(db, pepper, { accountId, mode: "live" });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const ours = (): Shot => ({ path: "/bench/noop", headers, body });
    const bare = (): Shot => ({
      path: "/bench/noop",
      headers: { "content-type": "application/json" },
      body,
    });
    const keyed = (): Shot => ({
      path: "/bench/noop",
      headers: { ...headers, "idempotency-key": randomUUID() },
      body,
    });
    const again = (): Shot => ({
      path: "/bench/noop",
      headers: { ...headers, "idempotency-key": "one" },
      body,
    });

    const many = { ours: [] as number[], floor: [] as number[], keyed: [] as number[] };
    const single = { ours: [] as number[], floor: [] as number[] };
    const replay = { ours: [] as number[], floor: [] as number[] };
    // The first round warms both sides up and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      const figures = {
        floor64: await load(floor, 64, seconds, bare),
        ours64: await load(api, 64, seconds, ours),
        keyed64: await load(api, 64, seconds, keyed),
        floor1: await load(floor, 1, seconds, bare),
        ours1: await load(api, 1, seconds, ours),
        floorReplay: await load(floorReplay, 64, seconds, again),
        replay: await load(api, 64, seconds, again),
      };
      if (round === 0) continue;
      many.ours.push(figures.ours64.perSecond);
      many.floor.push(figures.floor64.perSecond);
      many.keyed.push(figures.keyed64.perSecond);
      single.ours.push(figures.ours1.p50);
      single.floor.push(figures.floor1.p50);
      replay.ours.push(figures.replay.perSecond);
      replay.floor.push(figures.floorReplay.perSecond);
    }
    return [
      pairs("call through the queue, 64 at once", "calls/s", "≥ 1.0 x", many.ours, many.floor),
      pairs("the same with an Idempotency-Key", "calls/s", "", many.keyed, many.floor),
      pairs(
        "call through the queue, one at a time",
        "ms p50",
        "floor + 5 ms, then + 2 ms",
        single.ours,
        single.floor,
      ),
      pairs("replay, 64 at once", "calls/s", "≥ 0.7 x", replay.ours, replay.floor),
    ];
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
    await db.drop();
  }
}
