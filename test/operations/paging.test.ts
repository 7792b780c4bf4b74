import { expect, test } from "vitest";
import * as z from "zod";
import { openCursor, signCursor } from "../../contract/cursor.ts";
import type { CursorPayload } from "../../contract/cursor.ts";
import { mostRecords, type Operation } from "../../contract/operation.ts";
import { currentVersion } from "../../contract/version.ts";
import { changed, exampleOf } from "./inputs.ts";
import { answer, identityOf, type Input, mapped, rowsOf } from "./play.ts";

const lists = mapped.filter((op) => op.paginated);
const onePage = mapped.filter((op) => op.onePage);
/** Samples are a few dozen records long. */
const mostPages = 120;

/** Fails the test for an input that the operation refuses. */
function withChanges(op: Operation, changes: Input): Input {
  const input = changed(op, changes);
  if (!input) throw new Error(`${op.id} refuses its example with ${JSON.stringify(changes)}`);
  return input;
}

/** The payload after a trip to the caller as a signed text. */
function throughCaller(op: Operation, input: Input, payload: CursorPayload): CursorPayload {
  const binding = {
    accountId: 1,
    operation: op.id,
    version: currentVersion,
    mode: "test" as const,
    input,
  };
  const text = signCursor("secret", binding, payload, 0);
  expect(() => op.input.parse({ ...(op.example as Input), cursor: text })).not.toThrow();
  return openCursor("secret", binding, text, 1) as CursorPayload;
}

/** Identities of all records, page by page; pages use `limits` in turn. */
async function pageThrough(op: Operation, limits: readonly number[]): Promise<string[]> {
  const seen: string[] = [];
  let cursor: CursorPayload | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const limit = limits[page % limits.length] as number;
    const input = withChanges(op, { limit });
    const { data, pagination, records } = await answer(op, input, { cursor });
    const rows = rowsOf(op, data);
    expect(records, `records of a page of ${limit}`).toBeLessThanOrEqual(
      mostRecords(op, input as never),
    );
    seen.push(...rows.map(identityOf));
    expect(pagination?.has_more).toBe(pagination?.next !== undefined);
    if (!pagination?.next) return seen;
    cursor = throughCaller(op, input, pagination.next);
  }
  throw new Error(`no end after ${mostPages} pages`);
}

function bounds(op: Operation): { least: number; usual: number; most: number } {
  const schema = z.toJSONSchema(op.input, { io: "input", unrepresentable: "any" });
  const limit = (schema.properties as Record<string, Record<string, number>>).limit ?? {};
  const { minimum: least = NaN, default: usual = NaN, maximum: most = NaN } = limit;
  return { least, usual, most };
}

test.each(lists)(
  "$id: pages to its end by cursors, with any limits, and repeats nothing",
  async (op) => {
    const { least, usual, most } = bounds(op);
    const whole = await pageThrough(op, [most]);
    const parts = await pageThrough(op, [least + 2, usual, least, Math.min(least + 6, most), most]);
    expect(new Set(parts).size, "records that came twice").toBe(parts.length);
    expect(parts).toEqual(whole);
  },
);

test("these lists come whole, although other gateways page them", () => {
  expect(onePage.map((op) => op.id)).toEqual([
    "microblog.communities.about",
    "microblog.trends.by_woeid",
    "photosite.explore",
    "photosite.users.former_usernames",
    "photosite.users.stories",
  ]);
});

test.each(onePage)("$id: carries the pagination of its one page", async (op) => {
  const { pagination } = await answer(op, exampleOf(op));
  expect(pagination).toEqual({ has_more: false });
});

test.each(lists)("$id: continues after the usual page in the scenario second_page", async (op) => {
  const first = await answer(op, withChanges(op, { limit: undefined }), {
    scenario: "second_page",
  });
  expect(first.pagination).toMatchObject({ has_more: true, next: expect.anything() });
  const second = await answer(op, withChanges(op, { limit: undefined }), {
    scenario: "second_page",
    cursor: first.pagination?.next,
  });
  const repeated = new Set(rowsOf(op, first.data).map(identityOf));
  const rows = rowsOf(op, second.data).map(identityOf);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((row) => repeated.has(row))).toEqual([]);
});

test.each(lists)("$id: a balance for two records cuts the list at two", async (op) => {
  const cut = await answer(op, exampleOf(op), { maxRecords: 2 });
  expect(cut.records).toBeLessThanOrEqual(2);
  const whole = await answer(op, exampleOf(op));
  expect(cut.truncated).toBe(whole.records > 2);
  if (whole.records > 2) expect(cut.pagination?.next).toBeDefined();
});
