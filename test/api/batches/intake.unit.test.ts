import { expect, test, vi } from "vitest";
import { readBatch } from "../../../api/batches/intake.ts";
import {
  BatchOperations,
  type Common,
  type ItemIssue,
  readItem,
} from "../../../api/batches/item.ts";
import { batchItem } from "../../../contract/batches.ts";
import { maxIssues } from "../../../contract/errors.ts";
import { operations as known } from "../../../contract/index.ts";
import { currentVersion } from "../../../contract/version.ts";

const operations = new BatchOperations([...known.values()]);
const common: Common = {
  caller: {
    accountId: 1,
    accountName: "a",
    keyId: "k",
    mode: "test",
    ratePerSecond: 1,
    maxInFlight: 1,
  },
  version: currentVersion,
  scenario: undefined,
  arrivedAt: 0,
};

async function* once(body: string) {
  yield Buffer.from(body);
}

const seen = { items: 0, bytes: 0, isTaken: false };
const read = (body: string) =>
  readBatch(once(body), "ndjson", {
    operations,
    common,
    cursorSecret: "secret",
    query: { validation: "skip_invalid" },
    fields: undefined,
    add: async () => undefined,
    seen,
    resume: () => undefined,
  });

// One chunk of 64 KB blocked all other requests for 160 ms.
test("other requests are served while a batch is read", async () => {
  let turns = 0;
  let over = false;
  const beside = () => {
    turns += 1;
    if (!over) setImmediate(beside);
  };
  setImmediate(beside);
  const { skipped } = await read("[\n".repeat(10_000)).finally(() => (over = true));
  expect(skipped.count).toBe(10_000);
  expect(seen).toMatchObject({ items: 10_000, bytes: 20_000 });
  expect(turns).toBeGreaterThan(150);
});

// Copying took as long as parsing: 9.5 s of the API's thread for 58 MB.
test("an item with too many names is refused before it is parsed", () => {
  const names = Array.from({ length: 6000 }, (_, index) => [`k${index}`, 0] as const);
  const crowd = Object.fromEntries(names);
  for (const [item, path] of [
    [crowd, "items[0].k0"],
    [{ custom_id: "a", operation: "geo.mentions.search", input: crowd }, "items[0].input.k0"],
    [{ custom_id: "a", operation: "none", input: crowd }, "items[0].input.k0"],
  ] as const) {
    const copies = vi.spyOn(batchItem, "safeParse");
    const piece = { index: 0, line: 1, bytes: Buffer.from(JSON.stringify(item)) };
    const found = readItem(piece, operations, common, "secret");
    expect(copies).not.toHaveBeenCalled();
    copies.mockRestore();
    const { issues = [] } = found as { issues?: ItemIssue[] };
    expect(issues).toHaveLength(maxIssues);
    expect(issues[0]).toMatchObject({ path, code: "unknown_field", line: 1 });
  }
});
