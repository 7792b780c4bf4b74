import { expect, test } from "vitest";
import { readBatch } from "../../../api/batches/intake.ts";
import { BatchOperations } from "../../../api/batches/item.ts";
import type { Caller } from "../../../api/auth.ts";
import { operations as known } from "../../../contract/index.ts";
import { currentVersion } from "../../../contract/version.ts";

const operations = new BatchOperations([...known.values()]);
const caller: Caller = {
  accountId: 1,
  accountName: "a",
  keyId: "k",
  mode: "test",
  ratePerSecond: 1,
  maxInFlight: 1,
};

async function* once(body: string) {
  yield Buffer.from(body);
}

const read = (body: string) =>
  readBatch(once(body), "ndjson", {
    operations,
    common: { caller, version: currentVersion, scenario: undefined, arrivedAt: Date.now() },
    cursorSecret: "secret",
    query: { validation: "skip_invalid" },
    fields: undefined,
    add: async () => undefined,
  });

// One chunk of 64 KB kept everybody waiting for 160 ms.
test("others have their turn while a batch is read", async () => {
  let turns = 0;
  let over = false;
  const beside = () => {
    turns += 1;
    if (!over) setImmediate(beside);
  };
  setImmediate(beside);
  const { skipped } = await read("[\n".repeat(10_000)).finally(() => (over = true));
  expect(skipped.count).toBe(10_000);
  expect(turns).toBeGreaterThan(150);
});
