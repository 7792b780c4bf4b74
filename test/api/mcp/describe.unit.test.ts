import { expect, test } from "vitest";
import { callInput } from "../../../api/mcp/call.ts";
import { described } from "../../../api/mcp/describe.ts";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";

test("a description says which fields are required, their types, bounds and usual values", () => {
  const told = described(operations.get("shortclip.search") as Operation) as {
    price: string;
    input: Record<string, string>;
    example: unknown;
    answer: unknown;
    pages?: string;
  };
  expect(told.input.q).toMatch(/^required string/);
  expect(told.input.limit).toMatch(/integer.*≥ 1.*≤ \d+/);
  expect(told.price).toBe(
    "1 credit per record, at least 1 per call; the example costs 1 to 5 credits; errors are free",
  );
  expect(told.pages).toContain("cursor");
  expect(JSON.stringify(told.answer)).toContain("id");
});

test.for([...operations.values()])("$id is described within 12,000 characters", (op) => {
  const text = JSON.stringify(described(op));
  expect(text.length).toBeLessThan(12_000);
  expect(text).not.toContain("undefined");
  const { input } = described(op) as { input: Record<string, string> };
  expect(Object.keys(input)).toEqual(Object.keys(op.input.shape));
});

test("a key that is no header's value is told by its name", () => {
  const call = (idempotency_key: string) =>
    callInput.safeParse({ operation: "maps.search", input: {}, idempotency_key });
  expect(call("order 1").success).toBe(true);
  for (const key of ["", "\u00e9", "a\r\nb: c"])
    expect(call(key).error?.issues).toMatchObject([{ path: ["idempotency_key"] }]);
});
