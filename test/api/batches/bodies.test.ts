import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { read, store } from "../../../api/batches/bodies.ts";
import { ItemStore, type ResultRow } from "../../../db/batch-items.ts";
import { type TestDatabase, testDatabase } from "../../database.ts";

let db: TestDatabase;
let items: ItemStore;
beforeAll(async () => {
  db = await testDatabase({ max: 2 });
  items = new ItemStore(db);
});
afterAll(() => db.drop());

const row = (stored: { body: Buffer; parts: number }, requestId: string): ResultRow => ({
  sequence: 1,
  customId: "one",
  requestId,
  status: 200,
  credits: 1,
  records: 1,
  truncated: false,
  available: 1,
  ...stored,
});

async function whole(of: ResultRow): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const bytes of read(items, 7, of)) pieces.push(bytes);
  return Buffer.concat(pieces);
}

test.each([
  ["small", 100, 0],
  ["packed whole", 60_000, 0],
  ["in parts", 200_000, 1],
])("an answer that is %s is read unchanged", async (id, length, least) => {
  const body = Buffer.from(JSON.stringify({ data: "answer ".repeat(length / 7) }));
  const stored = await store(items, 7, id, body);
  expect(stored.parts).toBeGreaterThanOrEqual(least);
  if (body.length > 512) expect(stored.kept).toBeLessThan(body.length / 10);
  expect((await whole(row(stored, id))).equals(body)).toBe(true);
});

test("a 20 MB picture is streamed in parts: the reader never holds all of it", async () => {
  // Random bytes, because pictures do not compress either.
  const body = Buffer.from(`{"data":"${randomBytes(15_000_000).toString("base64")}"}`);
  const stored = await store(items, 7, "picture", body);
  expect(stored.body).toHaveLength(0);
  expect(stored.parts).toBeGreaterThan(50);
  let at = 0;
  let largest = 0;
  for await (const bytes of read(items, 7, row(stored, "picture"))) {
    expect(body.subarray(at, at + bytes.length).equals(bytes)).toBe(true);
    at += bytes.length;
    largest = Math.max(largest, bytes.length);
  }
  expect(at).toBe(body.length);
  expect(largest).toBeLessThanOrEqual(1024 * 1024);
});

test("a reader that leaves releases a large answer; a missing part ends the reading", async () => {
  const body = Buffer.from(`{"data":"${randomBytes(2_000_000).toString("base64")}"}`);
  const stored = await store(items, 7, "left", body);
  for await (const bytes of read(items, 7, row(stored, "left"))) {
    expect(bytes.length).toBeGreaterThan(0);
    break;
  }
  await db.sql`delete from batch_parts where request_id = 'left' and part = 2`;
  await expect(whole(row(stored, "left"))).rejects.toThrow("gone");
});
