import { afterAll, beforeAll, expect, test } from "vitest";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { audit } from "../../db/audit.ts";
import type { BatchStore } from "../../db/batches.ts";
import type { CallStore } from "../../db/calls.ts";
import type { TakingBack } from "../../db/job-calls.ts";
import type { JobStore } from "../../db/jobs.ts";
import { ItemStore } from "../../db/batch-items.ts";
import { pruneBatches } from "../../db/sweep.ts";
import type { TestDatabase } from "../database.ts";
import { liveAccount, newBatch } from "./live-account.ts";

/** A submitter without an answer queries the outcome; a statement that arrives later has no effect. */

let db: TestDatabase;
let calls: CallStore;
let jobs: JobStore;
let batches: BatchStore;
let accountId: number;
let count = 0;

beforeAll(async () => {
  ({ db, accountId, calls, jobs, batches } = await liveAccount(1000));
});
afterAll(() => db?.drop());

const mode = "live";
const soon = () => monotonicNow() + 60_000;
/** The clocks' difference is measured to half a round trip, which is 500 ms at most: db/clock.ts. */
const past = () => monotonicNow() - 1000;
const untouched = { balance: 1000, held: 0 };

async function balance() {
  const [row] = await db.sql`
    select balance, held from balances where account_id = ${accountId} and mode = ${mode}`;
  return row;
}

const newId = () => `svc_${(count += 1)}`;
const handIn = (requestId: string, notAfter: number, key = requestId) =>
  calls.accept({
    requestId,
    accountId,
    mode,
    keyId: "first",
    operation: "shortclip.search",
    minimum: 0,
    most: 5,
    deadline: soon(),
    idempotency: { key, fingerprint: "same" },
    notAfter,
    owner: "this",
    call: "{}",
    version: "2026-09-01",
    mostKept: Infinity,
  });
const takeBack = (requestId: string, notAfter?: number) =>
  calls.takeBack({ requestId, accountId, mode, owner: "this", notAfter });

test("a hand-in that comes too late has no effect", async () => {
  const id = newId();
  expect(await handIn(id, past())).toEqual({ kind: "late" });
  expect(await jobs.find(id, accountId, mode)).toBeUndefined();
  expect(await balance()).toEqual(untouched);
  // Its key is free.
  expect(await handIn(newId(), soon(), id)).toMatchObject({ kind: "held" });
  expect(await takeBack(`svc_${count}`)).toBe("gone");
});

test("a job that is taken back leaves no hold, no key and no row", async () => {
  const id = newId();
  expect(await handIn(id, soon())).toMatchObject({ kind: "held" });
  expect(await takeBack(id)).toBe("gone");
  expect(await takeBack(id)).toBe("gone");
  expect(await jobs.find(id, accountId, mode)).toBeUndefined();
  expect(await calls.lookUp({ accountId, mode, key: id })).toBeUndefined();
  expect(await balance()).toEqual(untouched);
  expect(await jobs.adopt("another", 10)).toEqual([]);
});

test("a job that has not come is gone only once it cannot come any more", async () => {
  const id = newId();
  expect(await takeBack(id, soon())).toBe("open");
  expect(await takeBack(id, past())).toBe("gone");
});

test("a job that is taken back while it is handed in waits for that", async () => {
  const id = newId();
  const call = {
    request_id: id,
    account_id: accountId,
    mode,
    key_id: "first",
    most: 5,
    minimum: 0,
  };
  const rest = {
    operation: "shortclip.search",
    deadline: soon(),
    idempotency_key: id,
    fingerprint: "same",
  };
  const input = JSON.stringify([{ ...call, ...rest, owner: "this", version: "1", call: "{}" }]);
  const asked: Promise<TakingBack>[] = [];
  await db.sql.begin(async (handing) => {
    await handing`select * from hand_in_jobs(${input}::text::jsonb, '60 s', '1 day')`;
    asked.push(takeBack(id, past()));
    await handing`select pg_sleep(0.3)`;
  });
  expect(await asked[0]).toBe("gone");
  expect(await jobs.find(id, accountId, mode)).toBeUndefined();
  expect(await balance()).toEqual(untouched);
});

test("a job that a caller was told of is kept, and left to whoever takes over", async () => {
  const id = newId();
  await handIn(id, soon());
  await jobs.own("this");
  await jobs.confirm(id);
  expect(await takeBack(id)).toBe("kept");
  expect(await jobs.adopt("another", 10)).toMatchObject([{ requestId: id, state: "queued" }]);
  await jobs.cancel([id], accountId, mode);
  await jobs.disown("this");
});

test("a job that was charged is kept", async () => {
  const id = newId();
  await handIn(id, soon());
  await calls.settleJob({
    requestId: id,
    credits: 0,
    records: 0,
    truncated: false,
    status: 404,
    durationMs: 1,
  });
  expect(await takeBack(id)).toBe("kept");
  expect(await jobs.find(id, accountId, mode)).toMatchObject({ state: "failed" });
});

const owner = () => ({ accountId, mode }) as const;
const begin = async (notAfter?: number, key?: string) => {
  const publicId = `bat_${(count += 1)}`;
  const made = await batches.create(
    newBatch({ publicId, accountId, idempotencyKey: key, notAfter }),
  );
  return { publicId, id: (made as { id: number }).id };
};
const add = (id: number) =>
  batches.add(id, [
    {
      number: 0,
      pool: "social",
      operation: "shortclip.search",
      custom_id: "one",
      input: "{}",
      minimum: 0,
      most: 1,
      lasts_ms: 1000,
    },
  ]);
const accept = (id: number, keyed = true) =>
  batches.accept(id, {
    total: 1,
    pools: ["social"],
    maxCredits: undefined,
    fields: undefined,
    fingerprint: "same",
    bytes: 2,
    keyed,
    answer: () => "answer",
  });
const itemsOf = async (id: number) =>
  (await db.sql`select number from batch_items where batch_id = ${id}`).length;

test("a batch that begins too late is not there, and frees its key", async () => {
  const publicId = `bat_${count + 1}`;
  await expect(begin(past(), "late")).rejects.toMatchObject({ code: "unavailable" });
  expect(await batches.discard(owner(), publicId, past())).toBe("gone");
  expect(await batches.find(owner(), "late")).toBeUndefined();
  expect(await batches.discard(owner(), "bat_none", soon())).toBe("open");
});

test("a batch that is discarded is not accepted, and takes no more items", async () => {
  const { publicId, id } = await begin(soon(), "discarded");
  await add(id);
  expect(await batches.discard(owner(), publicId)).toBe("gone");
  await add(id);
  expect(await itemsOf(id)).toBe(0);
  expect(await accept(id)).toBe(false);
  expect(await batches.find(owner(), "discarded")).toBeUndefined();
  expect(await batches.discard(owner(), publicId)).toBe("gone");
});

test("a batch that was accepted is not discarded, nor emptied", async () => {
  const { publicId, id } = await begin();
  await add(id);
  expect(await accept(id)).toBe(true);
  expect(await batches.discard(owner(), publicId)).toBe("accepted");
  expect(await itemsOf(id)).toBe(1);
  expect(await batches.get(owner(), publicId)).toMatchObject({ state: "running", queued: 1 });
});

test("a batch whose receiver is gone is removed whole", async () => {
  const { publicId, id } = await begin(soon(), "left");
  await add(id);
  await db.sql`update batches set created_at = now() - interval '31 seconds' where id = ${id}`;
  await jobs.own("this");
  await pruneBatches(db);
  expect(await itemsOf(id)).toBe(1);
  await jobs.disown("this");
  await pruneBatches(db);
  expect(await itemsOf(id)).toBe(0);
  expect(await batches.find(owner(), "left")).toBeUndefined();
  expect(await batches.discard(owner(), publicId)).toBe("gone");
});

test("the books add up after all of it", async () => {
  expect(await audit(db)).toEqual([]);
});

test("items of an accepted batch without a key wait until it is started, and it can be withdrawn until then", async () => {
  const items = new ItemStore(db);
  const started = async (id: number) =>
    (await items.start(id, "social", 1, "this", -1)).items.map(({ kind }) => kind);
  const { publicId, id } = await begin(soon());
  await add(id);
  expect(await accept(id, false)).toBe(true);
  expect(await started(id)).toEqual([]);
  expect(await batches.discard(owner(), publicId)).toBe("accepted");
  expect(await batches.withdraw(owner(), publicId)).toBe("gone");
  expect(await itemsOf(id)).toBe(0);

  const second = await begin(soon());
  await add(second.id);
  await accept(second.id, false);
  await batches.start(second.id);
  expect(await batches.withdraw(owner(), second.publicId)).toBe("accepted");
  expect(await started(second.id)).toEqual(["held"]);
});
