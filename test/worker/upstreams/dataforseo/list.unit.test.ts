import { expect, test } from "vitest";
import { GatewayError } from "../../../../contract/errors.ts";
import type { CursorPayload } from "../../../../contract/cursor.ts";
import type { Call } from "../../../../worker/connector.ts";
import { type ListInput, list } from "../../../../worker/upstreams/dataforseo/list.ts";
import { need, text } from "#wire";

type Task = Record<string, unknown>;

interface Answered {
  items: unknown[] | null;
  total_count?: unknown;
  [key: string]: unknown;
}

const numbers = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: String(from + at) }));

/** A list of `total` rows, at most `most` a page. */
const upstream =
  (total: number, most = 1000) =>
  (task: Task): Answered => {
    const skip = Number(task.offset ?? 0);
    const count = Math.max(0, Math.min(Number(task.limit), most, total - skip));
    return { total_count: total, items: count === 0 ? null : numbers(skip, count) };
  };

async function run(
  answer: (task: Task) => Answered | undefined,
  input: Partial<ListInput> = {},
  options: {
    cursor?: CursorPayload | undefined;
    maxRecords?: number;
    mostOffset?: number;
    /** The largest offset in use before the token. */
    tokenAfter?: number;
  } = {},
) {
  const tasks: Task[] = [];
  const limit = input.limit ?? 100;
  const maxRecords = Math.min(limit, options.maxRecords ?? limit);
  const call = {
    operation: "seo.backlinks.list",
    maxRecords,
    shortOfCredits: maxRecords < limit,
    cursor: options.cursor,
    startedAt: Date.now(),
    deadline: Date.now() + 60_000,
    async send(_upstream: unknown, { body }: { body: [Task] }) {
      tasks.push(body[0]);
      const result = answer(body[0]);
      return {
        body: {
          status_code: 20000,
          tasks: [{ status_code: 20000, result: result ? [result] : null }],
        },
      };
    },
  } as unknown as Call;
  const { listed, paged } = await list(
    call,
    { ...input, limit },
    {
      path: "/v3/sample/live",
      task: { target: "example.com" },
      row: (row) => need(text(row.id), "id"),
      ...(options.mostOffset === undefined ? {} : { mostOffset: options.mostOffset }),
      ...(options.tokenAfter === undefined
        ? {}
        : { token: { request: "search_after_token", answer: "token", after: options.tokenAfter } }),
    },
  );
  return { rows: listed.results, totalCount: listed.total_count, ...paged, tasks };
}

test("requests the caller's limit and continues after it", async () => {
  const first = await run(upstream(250), { limit: 100 });
  expect(first.tasks).toEqual([{ target: "example.com", limit: 100, offset: 0 }]);
  expect(first.rows).toHaveLength(100);
  expect(first).toMatchObject({ totalCount: 250, truncated: false });
  const second = await run(upstream(250), { limit: 200 }, { cursor: first.pagination.next });
  expect(second.tasks).toEqual([{ target: "example.com", limit: 200, offset: 100 }]);
  expect(second.rows.at(0)).toBe("100");
  expect(second.rows).toHaveLength(150);
  expect(second.pagination).toEqual({ has_more: false });
});

test("a caller's offset is the start of the list", async () => {
  const found = await run(upstream(250), { limit: 10, offset: 245 });
  expect(found.tasks[0]).toMatchObject({ offset: 245 });
  expect(found.rows).toEqual(["245", "246", "247", "248", "249"]);
  expect(found.pagination.has_more).toBe(false);
});

test("a page larger than requested is continued from the caller's offset", async () => {
  const generous = (task: Task): Answered => ({
    total_count: 250,
    items: numbers(Number(task.offset), 10),
  });
  const first = await run(generous, { limit: 3, offset: 50 });
  expect(first.rows).toEqual(["50", "51", "52"]);
  const second = await run(generous, { limit: 3 }, { cursor: first.pagination.next });
  expect(second.rows).toEqual(["53", "54", "55"]);
});

test("seo surprise 15: a short page is followed by another until the total is reached", async () => {
  const found = await run(upstream(70, 30), { limit: 100 });
  expect(found.tasks.map(({ offset, limit }) => [offset, limit])).toEqual([
    [0, 100],
    [30, 70],
    [60, 40],
  ]);
  expect(found.rows).toHaveLength(70);
  expect(found.pagination).toEqual({ has_more: false });
});

test("a full page at the total is the end; without a total a page that is not full", async () => {
  expect((await run(upstream(100), { limit: 100 })).pagination).toEqual({ has_more: false });
  const withoutTotal = await run(() => ({ items: numbers(0, 7) }), { limit: 10 });
  expect(withoutTotal.pagination).toEqual({ has_more: false });
  expect(withoutTotal.totalCount).toBeUndefined();
  const full = await run(() => ({ items: numbers(0, 10) }), { limit: 10 });
  expect(full.pagination).toEqual({ has_more: true, next: { u: { skip: 10 } } });
});

test("an unknown target and an empty result are empty lists", async () => {
  for (const answer of [() => undefined, upstream(0)]) {
    expect(await run(answer)).toMatchObject({ rows: [], pagination: { has_more: false } });
  }
});

test("a total that is never reached ends the list at an empty page", async () => {
  const found = await run(() => ({ total_count: 500, items: [] }));
  expect(found).toMatchObject({ rows: [], pagination: { has_more: false } });
  expect(found.tasks).toHaveLength(1);
});

test("requests no more than the balance covers and continues after it", async () => {
  const found = await run(upstream(250), { limit: 100 }, { maxRecords: 7 });
  expect(found.tasks).toEqual([{ target: "example.com", limit: 7, offset: 0 }]);
  expect(found).toMatchObject({ truncated: true, pagination: { has_more: true } });
  const rest = await run(upstream(250), { limit: 3 }, { cursor: found.pagination.next });
  expect(rest.rows).toEqual(["7", "8", "9"]);
});

test("lost rows count for the position in the list", async () => {
  const answer = (task: Task): Answered => ({
    total_count: 40,
    items: numbers(Number(task.offset), 20).map((row, at) => (at === 3 ? { name: 1 } : row)),
  });
  const found = await run(answer, { limit: 19 });
  expect(found.rows).toHaveLength(19);
  expect(found.pagination.next).toEqual({ u: { skip: 20 } });
});

test("a list without items, and one of rows that do not fit, has no known shape", async () => {
  const answers = [{ total_count: 3 } as unknown as Answered, { items: [{ name: 1 }, 7] }];
  for (const answer of answers) {
    await expect(run(() => answer)).rejects.toThrow(
      expect.objectContaining({ type: "response_shape_error" }) as GatewayError,
    );
  }
});

test("the list ends where the upstream takes no larger offset", async () => {
  const found = await run(upstream(900), { limit: 60, offset: 50 }, { mostOffset: 100 });
  expect(found.rows).toHaveLength(60);
  expect(found.pagination).toEqual({ has_more: false });
});

test("seo surprise 16: past the largest offset the token continues, with its original page size", async () => {
  const answer = (task: Task): Answered =>
    task.search_after_token === undefined
      ? { ...upstream(300)(task), token: "after-110" }
      : { total_count: 300, items: numbers(110, 60), token: "after-170" };
  const options = { mostOffset: 100, tokenAfter: 100 };
  const first = await run(answer, { limit: 60, offset: 50 }, options);
  expect(first.pagination.next).toEqual({ u: { skip: 110, token: "after-110", size: 60 } });
  const second = await run(answer, { limit: 10 }, { ...options, cursor: first.pagination.next });
  expect(second.tasks).toEqual([
    { target: "example.com", limit: 60, search_after_token: "after-110" },
  ]);
  expect(second.rows).toEqual(numbers(110, 10).map(({ id }) => id));
  const third = await run(answer, { limit: 55 }, { ...options, cursor: second.pagination.next });
  expect(third.rows[0]).toBe("120");
  expect(third.tasks[0]).toMatchObject({ search_after_token: "after-110", limit: 60 });
});

test("seo surprise 25: where any offset is taken, a list without a token goes on by offset", async () => {
  const first = await run(upstream(300), { limit: 60, offset: 50 }, { tokenAfter: 100 });
  expect(first.rows).toHaveLength(60);
  expect(first.pagination).toEqual({ has_more: true, next: { u: { skip: 110 } } });
  const cursor = { u: { skip: 110, token: "after-110", size: 60 } };
  const late = await run(upstream(300), { limit: 60 }, { tokenAfter: 100, cursor });
  expect(late.pagination).toEqual({ has_more: true, next: { u: { skip: 170 } } });
});

test("seo surprise 16: past the largest offset a list without a token does not end in silence", async () => {
  const capped = { mostOffset: 100, tokenAfter: 100 };
  await expect(run(upstream(300), { limit: 60, offset: 50 }, capped)).rejects.toMatchObject({
    type: "response_shape_error",
  });
});

test("filters and order are sent in the upstream's form", async () => {
  const found = await run(upstream(1), {
    filters: {
      or: [
        { field: "rank", op: ">", value: 1 },
        { field: "anchor", op: "=", value: "x" },
      ],
    },
    order_by: [
      { field: "rank", dir: "desc" },
      { field: "backlinks", dir: "asc" },
    ],
  });
  expect(found.tasks[0]).toMatchObject({
    filters: [["rank", ">", 1], "or", ["anchor", "=", "x"]],
    order_by: ["rank,desc", "backlinks,asc"],
  });
});
