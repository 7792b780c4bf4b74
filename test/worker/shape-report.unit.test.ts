import { expect, test } from "vitest";
import { outline } from "../../worker/shape-report.ts";

test("an outline keeps the structure and none of the contents", () => {
  const secret = "someone@example.com";
  const made = outline({
    user: { mail: secret, age: 41, score: 0.5, gone: null, ok: true },
    list: [1, 2, 3, 4, 5],
  });
  expect(made).toEqual({
    user: { mail: "text of 19", age: "integer", score: "number", gone: null, ok: true },
    list: ["integer", "integer", "integer", "2 more"],
  });
  expect(JSON.stringify(made)).not.toContain(secret);
});

test("an outline is bounded however large or deep the answer is", () => {
  const wide = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, index) => [`key${index}`, "x"]),
  );
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  const tree = Array.from({ length: 100 }, () => Array.from({ length: 100 }, () => wide));
  for (const value of [wide, deep, tree]) {
    expect(JSON.stringify(outline(value)).length).toBeLessThan(32 * 1024);
  }
});
