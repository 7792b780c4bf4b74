import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { LineScanner, ObjectScanner, type Scanner } from "../../../api/batches/scanner.ts";

/** Feeds a body in chunks of `size` bytes. */
function scan(scanner: Scanner, body: string, size: number) {
  const bytes = Buffer.from(body);
  const pieces = [];
  for (let at = 0; at < bytes.length; at += size)
    pieces.push(...scanner.push(bytes.subarray(at, at + size)));
  pieces.push(...scanner.end());
  return pieces.map(({ index, line, bytes: found }) => [index, line, found?.toString()]);
}

test.each([1, 3, 1000])(
  "lines: empty ones count as lines but not as items (chunks of %i)",
  (size) => {
    const body = '{"a":1}\n\n  \r\n{"b":"é"}\r\n{"c":3}';
    expect(scan(new LineScanner(100), body, size)).toEqual([
      [0, 1, '{"a":1}'],
      [1, 4, '{"b":"é"}\r'],
      [2, 5, '{"c":3}'],
    ]);
  },
);

test("a line beyond the limit is reported without its bytes, and the next one is read", () => {
  const body = `${"x".repeat(50)}\n{"a":1}\n`;
  for (const size of [1, 7, 1000]) {
    expect(scan(new LineScanner(20), body, size)).toEqual([
      [0, 1, undefined],
      [1, 2, '{"a":1}'],
    ]);
  }
});

const nested = fc.jsonValue({ maxDepth: 4, noUnicodeString: false });

test("an object's items come out unchanged, whatever surrounds them and wherever chunks are cut", () => {
  fc.assert(
    fc.property(
      fc.array(nested, { maxLength: 8 }),
      fc.dictionary(fc.string({ unit: "binary", maxLength: 10 }), nested, { maxKeys: 4 }),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      fc.constantFrom(undefined, 1, "\t"),
      (items, beside, size, first, indent) => {
        const { items: _items, ...others } = beside;
        const body = first ? { items, ...others } : { ...others, items };
        const text = JSON.stringify(body, null, indent);
        const scanner = new ObjectScanner(1_000_000);
        const pieces = scan(scanner, text, size);
        expect(pieces.map(([, , found]) => JSON.parse(found as string))).toEqual(
          JSON.parse(JSON.stringify(items)),
        );
        expect(JSON.parse(scanner.rest().toString())).toEqual(
          JSON.parse(JSON.stringify({ ...others, items: [] })),
        );
      },
    ),
  );
});

test("an item's line is the one on which it begins", () => {
  const body = JSON.stringify({ items: [{ a: 1 }, 2, [3]] }, null, 1);
  const pieces = scan(new ObjectScanner(100), body, 1000);
  expect(pieces.map(([, line]) => line)).toEqual([3, 6, 7]);
});

test("invalid JSON is never accepted", () => {
  const broken = [
    '{"items":[1,,2]}',
    '{"items":[1,]}',
    '{"items":[{"a":]}]}',
    '{"items":[1',
    "[1]",
    "{",
  ];
  for (const body of broken) {
    const scanner = new ObjectScanner(100);
    const pieces = scan(scanner, body, 1000);
    const parses = () => [
      ...pieces.map(([, , text]) => JSON.parse(text as string) as unknown),
      (JSON.parse(scanner.rest().toString()) as { items: unknown[] }).items.length,
    ];
    expect(parses, body).toThrow();
  }
});

test("duplicate items, or items under an escaped name, are not taken for the items", () => {
  for (const body of ['{"items":[1],"items":[2]}', '{"\\u0069tems":[2]}', '{"x\\"items":[2]}']) {
    const scanner = new ObjectScanner(100);
    const pieces = scan(scanner, body, 1000);
    const { items } = JSON.parse(scanner.rest().toString()) as { items?: unknown[] };
    expect([pieces.map(([, , text]) => text), items]).toEqual(
      body.includes("[1]") ? [["1"], [2]] : [[], body.startsWith('{"x') ? undefined : [2]],
    );
  }
});

test("an item beyond the limit is reported without its bytes; so is too much data beside the items", () => {
  const scanner = new ObjectScanner(10);
  expect(scan(scanner, `{"items":["${"x".repeat(50)}",7]}`, 3)).toEqual([
    [0, 1, undefined],
    [1, 1, "7"],
  ]);
  const crowded = new ObjectScanner(10);
  expect(() => scan(crowded, `{"a":"${"x".repeat(20_000)}","items":[]}`, 1000)).toThrow(
    "beside the items",
  );
});

// Rescanning all preceding data for each array of a chunk took 44 s for 48 MB.
test("only the end of the data before an array is scanned", () => {
  let looked = 0;
  const chunk = Buffer.from(`{${'"a":[],'.repeat(9_000)}"items":[1]}`);
  chunk.toString = (encoding, start = 0, end = chunk.length) => {
    looked += end - start;
    return Buffer.prototype.toString.call(chunk, encoding, start, end);
  };
  expect(() => new ObjectScanner(100).push(chunk)).toThrow("beside the items");
  expect(looked).toBeLessThan(200 * 9_002);
});

// One copy per line took 17 s for 58 MB.
test("an empty line allocates nothing", () => {
  const copies = vi.spyOn(Buffer, "concat");
  const body = Buffer.from(`${" \r\n".repeat(20_000)}1\n${"\n".repeat(20_000)}2`);
  const scanner = new LineScanner(100);
  const pieces = [...scanner.push(body), ...scanner.end()];
  expect(pieces.map(({ line, bytes }) => [line, bytes?.toString()])).toEqual([
    [20_001, "1"],
    [40_002, "2"],
  ]);
  expect(copies.mock.calls.length).toBeLessThan(10);
  copies.mockRestore();
});
