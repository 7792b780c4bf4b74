import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ErrorEnvelope } from "../../gateway.ts";
import { BatchRig, search } from "./batch-rig.ts";

let rig: BatchRig;
beforeAll(async () => {
  rig = await BatchRig.start("social");
});
afterEach(() => rig.check());
afterAll(() => rig?.gateway.stop());

const at = (index: number, path: string, line: number, code: string, custom_id?: string): unknown =>
  expect.objectContaining({
    in: "body",
    path: `items[${index}]${path}`,
    line,
    code,
    ...(custom_id === undefined ? {} : { custom_id }),
  });

test("invalid items are reported with line, custom_id and field, and no item runs", async () => {
  const lines = [
    // A byte order mark, as editors of Windows write it.
    `\uFEFF${JSON.stringify(search("good"))}`,
    "",
    JSON.stringify({ ...search("bad"), input: { limit: 3 } }),
    '{"custom_id":"cut',
    JSON.stringify(search("good")),
    JSON.stringify({ ...search("unknown"), operation: "shortclip.dance" }),
    JSON.stringify({ ...search("more"), extra: 1 }),
    JSON.stringify({ operation: "shortclip.search", input: {} }),
  ];
  const refused = await rig.ndjson(lines);
  expect(refused.status).toBe(400);
  const { issues = [], message } = refused.body.error;
  expect(message).toBe("items[1].input.q, line 3: is required (and 5 more items are not valid)");
  expect(issues).toEqual([
    at(1, ".input.q", 3, "required", "bad"),
    at(2, "", 4, "malformed_json"),
    at(3, ".custom_id", 5, "duplicate", "good"),
    at(4, ".operation", 6, "unknown_operation", "unknown"),
    at(5, ".extra", 7, "unknown_field", "more"),
    at(6, ".custom_id", 8, "required"),
  ]);
  expect(issues[1]?.message).toBe("is not valid JSON");
  const [left] = await rig.gateway.db.sql<{ count: number }[]>`
    select count(*)::int from batches where account_id = ${rig.accountId} and state = 'receiving'`;
  expect(left?.count).toBe(0);
});

test("faults of items and options are worded as those of single calls", async () => {
  const lines = [
    { ...search("a"), input: "no" },
    { ...search("b"), input: { q: 3 } },
    { ...search("c"), custom_id: 7 },
    { ...search("d"), more: 1 },
  ].map((item) => JSON.stringify(item));
  const { issues = [] } = (await rig.ndjson(lines)).body.error;
  expect(issues.map(({ message }) => message)).toEqual([
    "must be an object",
    "must be text",
    "must be text",
    "unknown field",
  ]);
  const option = await rig.ndjson([JSON.stringify(search("a"))], "?max_credits=many");
  expect(option.body.error.message).toBe("max_credits: must be a number");
});
test("skip_invalid: valid items run, invalid ones are reported by their lines", async () => {
  const lines = [search("a"), { custom_id: "b" }, search("c")].map((item) => JSON.stringify(item));
  const accepted = await rig.ndjson(lines, "?validation=skip_invalid");
  expect(accepted.status).toBe(202);
  const { id, skipped, items } = accepted.body.data;
  expect(items.total).toBe(2);
  expect(skipped?.count).toBe(1);
  expect(skipped?.lines).toEqual([2]);
  expect(skipped?.issues.map(({ line, path }) => [line, path])).toEqual([
    [2, "items[1].operation"],
    [2, "items[1].input"],
  ]);
  await rig.ended(id);
  const results = await rig.gateway.results(rig.key, id);
  expect(results.map(({ custom_id }) => custom_id).sort()).toEqual(["a", "c"]);
});

test("unknown options and a body without items are refused", async () => {
  for (const [query, path] of [
    ["?max_credits=0", "max_credits"],
    ["?skip=true", "skip"],
    ["?validation=all", "validation"],
  ]) {
    const refused = await rig.ndjson([JSON.stringify(search("a"))], query);
    expect([refused.status, refused.body.error.issues?.[0]?.path]).toEqual([400, path]);
  }
  expect((await rig.ndjson(["", ""])).body.error.message).toBe("items: at least one is required");
  for (const body of [{}, [], { items: {} }, { items: [], more: 1 }]) {
    const answer = await rig.gateway.call<ErrorEnvelope>(rig.key, "POST", "/batches", { body });
    expect([answer.status, answer.body.error.type]).toEqual([400, "validation_error"]);
  }
  const text = await rig.ndjson(["x"], "", { "content-type": "text/plain" });
  expect(text.status).toBe(415);
});

test("Idempotency-Key: the same batch gets the same answer, another batch is refused", async () => {
  const items = [search("one"), search("two")];
  const headers = { "idempotency-key": "batch-key" };
  const [first, repeated] = await Promise.all([
    rig.submit(items, {}, headers),
    rig.submit(items, {}, headers),
  ]);
  expect([first.status, repeated.status]).toEqual([202, 202]);
  expect(repeated.text).toBe(first.text);
  const later = await rig.submit(items, {}, headers);
  expect(later.text).toBe(first.text);
  expect(later.headers.get("idempotency-replayed")).toBe("true");
  expect(later.headers.get("svc-request-id")).toBe(first.body.request_id);
  const other = await rig.submit([search("other")], {}, headers);
  expect([other.status, other.body.error.issues?.[0]?.code]).toEqual([422, "key_reused"]);
  await rig.ended(first.body.data.id);
  await rig.gateway.results(rig.key, first.body.data.id);
  // A refused batch leaves its key free.
  const free = { "idempotency-key": "free-key" };
  expect((await rig.submit([{}], {}, free)).status).toBe(400);
  const again = await rig.submit(items, {}, free);
  expect(again.status).toBe(202);
  await rig.ended(again.body.data.id);
  await rig.gateway.results(rig.key, again.body.data.id);
});
