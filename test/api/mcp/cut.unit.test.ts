import fc from "fast-check";
import { expect, test } from "vitest";
import { partOf } from "../../../api/mcp/cut.ts";
import { chooser } from "../../../contract/field-selection.ts";

const all = { from: 0, most: 1_000_000, fields: undefined };

test("a result that fits is whole, as a list, a list in results or one object", () => {
  expect(partOf([1, 2], all)).toEqual({
    data: [1, 2],
    shown: { from: 0, to: 2, of: 2, unit: "records" },
  });
  const listing = { total: 9, results: [{ a: 1 }] };
  expect(partOf(listing, all).data).toEqual(listing);
  expect(partOf({ markdown: "text" }, all).data).toEqual({ markdown: "text" });
});

test("the parts of a list add up to the list", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ text: fc.string({ maxLength: 30 }) }), { maxLength: 40 }),
      fc.integer({ min: 60, max: 300 }),
      (rows, most) => {
        const found: unknown[] = [];
        let from = 0;
        do {
          const { data, shown } = partOf(rows, { from, most, fields: undefined });
          expect(shown.from).toBe(from);
          expect(rows.length === 0 || shown.to > from).toBe(true);
          expect(JSON.stringify(data).length).toBeLessThanOrEqual(most + rows.length + 200);
          found.push(...(data as unknown[]));
          from = shown.to;
        } while (from < rows.length);
        expect(found).toEqual(rows);
      },
    ),
  );
});

test("the parts of a long text add up to the text", () => {
  const page = { markdown: "word ".repeat(1000) };
  let text = "";
  for (let from = 0, of = 1; from < of;) {
    const { data, shown } = partOf(page, { from, most: 700, fields: undefined });
    text += data as string;
    ({ to: from, of } = shown);
  }
  expect(JSON.parse(text)).toEqual(page);
});

test("a record longer than the limit is cut and marked as cut", () => {
  const { data, shown } = partOf([{ a: "x".repeat(1000) }, { a: "y" }], { ...all, most: 200 });
  expect(JSON.stringify(data)).toContain("choose fields");
  expect(shown.to).toBe(1);
});

test("fields choose members, including members of members and of lists", () => {
  const row = { id: 1, author: { name: "a", age: 2 }, tags: [{ t: 1, u: 2 }], other: 3 };
  expect(chooser(["id", "author.name", "tags.t"])(row)).toEqual({
    id: 1,
    author: { name: "a" },
    tags: [{ t: 1 }],
  });
  expect(chooser(["author"])(row)).toEqual({ author: row.author });
  expect(chooser(["nothing"])(row)).toEqual({});
});

// job_status accepts arbitrary names: 220 KB of them cost 150 ms for thirty records.
test("the chosen members are resolved once, and names longer than any member are dropped", () => {
  let read = 0;
  const fields = new Proxy(["id", "a.".repeat(5000)], {
    get(target, at, receiver) {
      if (at === "0") read += 1;
      return Reflect.get(target, at, receiver) as unknown;
    },
  });
  const rows = Array.from({ length: 100 }, (_, id) => ({ id, a: { a: 1 } }));
  const { data } = partOf(rows, { ...all, fields });
  expect(data).toEqual(rows.map(({ id }) => ({ id })));
  expect(read).toBe(1);
});
