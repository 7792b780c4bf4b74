import { expect, test, vi } from "vitest";
import { mostNames } from "../../../api/edge/body.ts";
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

const named = (operation: string) => JSON.stringify({ custom_id: operation, operation, input: {} });

// A search for near ids takes milliseconds, and a batch has 10,000 items.
test("a misspelt operation is answered with the nearest, for the first three names of a batch", async () => {
  const misspelt = ["maps.serch", "maps.serch", "browser.htlm", "news.serch", "hotels.serch"];
  const { skipped } = await read(misspelt.map(named).join("\n"));
  const messages = skipped.issues.map(({ message }) => message);
  const [first, again, second, third, fourth] = messages;
  expect(first).toMatch(/^no operation has this id; the nearest are maps\.search, /);
  expect(again).toBe(first);
  expect(second).toContain("browser.html");
  expect(third).toContain("news.search");
  expect(fourth).toBe("no operation has this id");
});

// Copying took as long as parsing: 9.5 s of the API's thread for 58 MB.
test("an item with many unknown names is refused before it is validated", () => {
  const names = Array.from({ length: mostNames }, (_, index) => [`k${index}`, 0] as const);
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

const crowded = JSON.stringify({
  custom_id: "a",
  operation: "geo.mentions.search",
  input: Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`k${index}`, 0])),
});

// Eight milliseconds each: eight bodies of them left another account 154 of 238 calls, p50 28 s.
test("an item with too many names is refused before it is parsed", () => {
  const parse = vi.spyOn(JSON, "parse");
  const piece = { index: 3, line: 4, bytes: Buffer.from(crowded) };
  const found = readItem(piece, operations, common, "secret");
  // The path's own texts are short.
  const parsed = parse.mock.calls.map(([text]) => text.length);
  parse.mockRestore();
  expect(Math.max(0, ...parsed)).toBeLessThan(100);
  expect(found).toMatchObject({
    issues: [{ path: "items[3].input", code: "too_many_names", line: 4 }],
  });
});

test("accounts take turns with their bodies, one step in a turn of the event loop", async () => {
  let loops = 0;
  let over = false;
  const count = () => {
    loops += 1;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const steps: { accountId: number; loop: number }[] = [];
  const ended: number[] = [];
  const body = async (accountId: number) => {
    await readBatch(once("[\n".repeat(1000)), "ndjson", {
      operations,
      common: { ...common, caller: { ...common.caller, accountId } },
      cursorSecret: "secret",
      query: { validation: "skip_invalid" },
      fields: undefined,
      add: async () => undefined,
      seen: { items: 0, bytes: 0, isTaken: false },
      resume: () => steps.push({ accountId, loop: loops }),
    });
    ended.push(accountId);
  };
  await Promise.all([...Array.from({ length: 8 }, () => body(1)), body(2)]);
  over = true;
  expect(ended[0]).toBe(2);
  // The first call of each body is its first chunk; each later one begins a step.
  const ofSteps = steps.slice(9).map(({ loop }) => loop);
  expect(ofSteps.length).toBeGreaterThanOrEqual(9 * 20);
  expect(new Set(ofSteps).size).toBeGreaterThan(ofSteps.length * 0.95);
});
