import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { addCredits, createAccount } from "../../db/accounts.ts";
import { audit } from "../../db/audit.ts";
import { CallStore } from "../../db/calls.ts";
import type { Settlement } from "../../db/call-types.ts";
import { connect } from "../../db/client.ts";
import { DatabaseError } from "../../db/errors.ts";
import { pruneReplays, sweepHolds } from "../../db/sweep.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { untilHoldsReturn } from "../books.ts";
import { until } from "../gateway.ts";
import { type Choices, choices, seeded } from "../random.ts";
import { terminateBackends } from "./terminator.ts";

const seconds = Number(process.env["BANK_SECONDS"] ?? 10);

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

test(
  seeded(`case 10: bank workload, ${seconds} s`),
  async () => {
    const processes = [db, connect(db.url)].map((at) => ({
      db: at,
      store: new CallStore(at, { graceMs: 1000 }),
    }));
    const [first] = processes;
    if (!first) throw new Error("no process");
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => createAccount(db, `a${n}`)));
    const charged = new Map<string, number>();
    const open: Settlement[] = [];
    let granted = 0;
    let snapshots = 0;
    let outages = 0;
    const end = Date.now() + seconds * 1000;
    // A slow machine continues until it has done as much.
    const enough = () => charged.size > seconds * 20 && snapshots > seconds * 2;
    const goesOn = () => Date.now() < end || (!enough() && Date.now() < end + 120_000);

    async function topUp(id: number, at: (typeof processes)[number], pick: Choices): Promise<void> {
      const credits = pick(1, 60);
      await addCredits(at.db, id, "live", credits, "top-up");
      granted += credits;
    }

    async function settle(one: Settlement, { store }: (typeof processes)[number]): Promise<void> {
      const result = await store.settle(one);
      if (result.kind === "expired") return;
      const before = charged.get(one.requestId) ?? result.credits;
      if (before !== result.credits) throw new Error(`${one.requestId} was charged twice`);
      charged.set(one.requestId, result.credits);
    }

    async function call(id: number, at: (typeof processes)[number], pick: Choices): Promise<void> {
      const requestId = randomUUID();
      const keyed = pick(2) === 0;
      const reserved = await at.store.reserve({
        requestId,
        accountId: id,
        mode: "live",
        keyId: "key",
        operation: "maps.search",
        minimum: pick(4) === 0 ? 10 : 0,
        most: pick(1, 30),
        deadline: Date.now() + pick(-500, 2000),
        idempotency: keyed ? { key: String(pick(50)), fingerprint: "f" } : undefined,
      });
      if (reserved.kind !== "held") return;
      await pause(pick(30));
      const one: Settlement = {
        requestId,
        credits: pick(31),
        records: 1,
        truncated: false,
        status: 200,
        durationMs: 1,
        stored: { contentType: "text/plain", body: Buffer.from(requestId) },
      };
      const fate = pick(10);
      if (fate === 0) return;
      if (fate < 3) {
        const failure = {
          requestId,
          status: 503,
          errorType: "upstream_unavailable",
          durationMs: 1,
        };
        await at.store.release(failure);
        return;
      }
      open.push(one);
      await Promise.all([settle(one, at), settle(one, processes[pick(2)] ?? at)]);
    }

    const chaos = terminateBackends(db.url, { share: 0.05, everyMs: 500 });
    const clients = Array.from({ length: 24 }, async (_, n) => {
      const pick = choices(`client ${n}`);
      while (goesOn()) {
        const at = processes[pick(2)];
        const id = ids[pick(10)];
        if (!at || id === undefined) throw new Error("out of range");
        try {
          await (pick(5) === 0 ? topUp(id, at, pick) : call(id, at, pick));
        } catch (error) {
          if (!(error instanceof DatabaseError)) throw error;
          outages += 1;
        }
      }
    });
    const sweeper = (async () => {
      while (goesOn()) {
        await Promise.allSettled(processes.map((at) => sweepHolds(at.db, { graceMs: 1000 })));
        await pruneReplays(db, { replayMs: 2000 }).catch(() => {});
        await pause(500);
      }
    })();
    const watcher = (async () => {
      while (goesOn()) {
        try {
          expect(await audit(db)).toEqual([]);
          snapshots += 1;
        } catch (error) {
          if (!(error instanceof DatabaseError)) throw error;
        }
        await pause(100);
      }
    })();
    await Promise.all([...clients, sweeper, watcher]);
    const killed = await chaos.stop();

    // A caller that missed an answer retries, and learns its charge.
    const settles = open.length;
    const askAgain = async (at: (typeof processes)[number]) => {
      for (let one = open.pop(); one; one = open.pop()) await settle(one, at);
    };
    await Promise.all(Array.from({ length: 64 }, (_, n) => askAgain(processes[n % 2] ?? first)));
    expect(settles).toBeGreaterThanOrEqual(charged.size);
    const holds = { graceMs: 1000 };
    await until(async () => {
      await sweepHolds(db, holds);
      return (await untilHoldsReturn(db.sql, holds.graceMs)) === undefined;
    });
    expect(await audit(db)).toEqual([]);
    const [books] = await db.sql<{ revenue: number; granted: number; held: number }[]>`
      select (select sum(amount)::bigint from ledger where side = 'revenue') as revenue,
        (select -sum(amount)::bigint from ledger where side = 'grants' and mode = 'live') as granted,
        (select sum(held)::bigint from balances) as held`;
    const sum = [...charged.values()].reduce((total, credits) => total + credits, 0);
    console.log(
      `case 10: ${charged.size} calls charged ${sum}, ${snapshots} snapshots, ${killed} backends killed, ${outages} outages`,
    );
    expect(books?.revenue).toBe(sum);
    expect(books?.held).toBe(0);
    // A top-up whose answer was lost may have been booked.
    expect(books?.granted).toBeGreaterThanOrEqual(granted);
    expect(charged.size).toBeGreaterThan(seconds * 20);
    expect(snapshots).toBeGreaterThan(seconds * 2);
    await processes[1]?.db.close();
  },
  (seconds + 400) * 1000,
);

test("a settle that reaches the database too late charges nothing, and the hold comes back", async () => {
  const store = new CallStore(db);
  const accountId = await createAccount(db, "late");
  await addCredits(db, accountId, "live", 10, "top-up");
  const hold = {
    accountId,
    mode: "live",
    keyId: "key",
    operation: "maps.search",
    minimum: 0,
    most: 5,
    deadline: Date.now() + 60_000,
  } as const;
  const charge = { credits: 3, records: 3, truncated: false, status: 200, durationMs: 1 };
  for (const requestId of ["late", "early"]) await store.reserve({ ...hold, requestId });
  const [late, early] = await Promise.all([
    // The database's clock is known to half a round trip, which takes half a second on a slow
    // machine.
    store.settle({ ...charge, requestId: "late", notAfter: Date.now() - 2000 }),
    store.settle({ ...charge, requestId: "early", notAfter: Date.now() + 60_000 }),
  ]);
  expect(late).toEqual({ kind: "expired" });
  expect(early).toMatchObject({ kind: "settled", credits: 3 });
  // A charge made in time is reported, however late the request for it comes.
  const again = await store.settle({ ...charge, requestId: "early", notAfter: Date.now() - 1 });
  expect(again).toMatchObject({ kind: "already", credits: 3 });
  const failure = { status: 503, errorType: "upstream_unavailable", durationMs: 1 };
  expect(await store.release({ ...failure, requestId: "late" })).toBe(true);
  const [row] = await db.sql<{ balance: number; held: number }[]>`
    select balance, held from balances where account_id = ${accountId} and mode = 'live'`;
  expect(row).toEqual({ balance: 7, held: 0 });
  expect(await audit(db)).toEqual([]);
});
