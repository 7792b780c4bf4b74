import { afterAll, beforeAll, expect, test } from "vitest";
import type { BatchStore } from "../../db/batches.ts";
import type { CallStore } from "../../db/calls.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import type { TestDatabase } from "../database.ts";
import { liveAccount, newBatch } from "./live-account.ts";

let db: TestDatabase;
let calls: CallStore;
let batches: BatchStore;
let accountId: number;
let count = 0;

beforeAll(async () => {
  ({ db, accountId, calls, batches } = await liveAccount(100_000));
});
afterAll(() => db?.drop());

const fingerprint = "of a call";

const reserve = (key: string) =>
  calls.reserve({
    requestId: `svc_${(count += 1)}`,
    accountId,
    mode: "live",
    keyId: "first",
    operation: "shortclip.search",
    minimum: 0,
    most: 1,
    deadline: monotonicNow() + 60_000,
    idempotency: { key, fingerprint },
  });

const create = (idempotencyKey: string | undefined) =>
  batches.create(newBatch({ publicId: `bat_${(count += 1)}`, accountId, idempotencyKey }));

test("a batch without a key is a new one each time", async () => {
  const made = [await create(undefined), await create(undefined)];
  expect(made).toMatchObject([{ id: expect.any(Number) }, { id: expect.any(Number) }]);
});

test("a key belongs to the first batch or call that used it", async () => {
  await create("batch first");
  const found = await create("batch first");
  expect(found).toMatchObject({ publicId: expect.stringMatching(/^bat_/) });
  expect(await reserve("batch first")).toMatchObject({ kind: "taken" });
  const { publicId } = found as { publicId: string };
  expect(await batches.discard({ accountId, mode: "live" }, publicId)).toBe("gone");
  expect(await reserve("batch first")).toMatchObject({ kind: "held" });
  expect(await create("batch first")).toBe("of a call");
});

// A statement that waits for the row of a key sees the rest of the database as of before its wait.
test("a batch that claims a key while a call takes it finds the call", async () => {
  const deadline = Date.now() + 60_000;
  const call = { request_id: "svc_at_once", account_id: accountId, mode: "live", key_id: "first" };
  const most = { operation: "shortclip.search", minimum: 0, most: 1, deadline };
  const named = { ...call, ...most, idempotency_key: "at once", fingerprint };
  const claimed = await db.sql.begin(async (taking) => {
    await taking`
      select * from reserve_calls(${JSON.stringify([named])}::text::jsonb, '60 s', '1 day')`;
    const asking = create("at once").catch((error: unknown) => error);
    await taking`select pg_sleep(0.3)`;
    // Returned in a list, because the transaction would otherwise wait for its own waiter.
    return [asking];
  });
  expect(await claimed[0]).toBe("of a call");
  const [row] = await db.sql`select request_id, state from replays where key = 'at once'`;
  expect(row).toEqual({ request_id: "svc_at_once", state: "running" });
});
