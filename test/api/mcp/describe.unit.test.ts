import { expect, test } from "vitest";
import { callInput } from "../../../api/mcp/call.ts";
import { described, descriptionOf } from "../../../api/mcp/describe.ts";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";
import { seeded } from "../../random.ts";
import { share } from "../../share.ts";

test("a description lists required fields, their types, bounds and defaults", () => {
  const description = described(operations.get("shortclip.search") as Operation) as {
    price: string;
    input: Record<string, string>;
    example: unknown;
    answer: unknown;
    pages?: string;
  };
  expect(description.input.q).toMatch(/^required string/);
  expect(description.input.limit).toMatch(/integer.*≥ 1.*≤ \d+/);
  expect(description.price).toBe(
    "1 credit per record, at least 1 per call; the example costs 1 to 5 credits; errors are free",
  );
  expect(description.pages).toContain("cursor");
  expect(JSON.stringify(description.answer)).toContain("id");
});

test.for([...operations.values()])("$id is described within 12,000 characters", (op) => {
  const description = described(op) as { input: Record<string, string> };
  const text = JSON.stringify(description);
  expect(text.length).toBeLessThan(12_000);
  expect(text).not.toContain("undefined");
  const { input } = description;
  expect(Object.keys(input)).toEqual(Object.keys(op.input.shape));
});

// Made at each call, some took 35 ms of the API's thread: at a key's rate nobody else was answered.
test(seeded("a description is made once"), () => {
  for (const op of share("descriptions", operations.values(), 12)) {
    let reads = 0;
    const watched = new Proxy(op, {
      get(target, name) {
        // Its evidence follows from its id and area.
        if (name !== "id" && name !== "area") reads += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
    const text = descriptionOf(watched);
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(described(op))));
    reads = 0;
    expect(descriptionOf(watched)).toBe(text);
    expect(reads, op.id).toBe(0);
  }
});

test("a key that cannot be a header value is refused by its variable's name", () => {
  const call = (idempotency_key: string) =>
    callInput.safeParse({ operation: "maps.search", input: {}, idempotency_key });
  expect(call("order 1").success).toBe(true);
  for (const key of ["", "\u00e9", "a\r\nb: c"])
    expect(call(key).error?.issues).toMatchObject([{ path: ["idempotency_key"] }]);
});
