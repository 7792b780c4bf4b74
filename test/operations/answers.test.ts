import { expect, test } from "vitest";
import { exampleOf } from "./inputs.ts";
import { answer, mapped, play } from "./play.ts";
import { validatorOf } from "./schema.ts";

test.each(mapped)(
  "$id: the example answers with data that the published schema accepts",
  async (op) => {
    const found = await answer(op, exampleOf(op));
    const validate = validatorOf(op);
    expect(validate(found.data), JSON.stringify(validate.errors?.slice(0, 10), null, 1)).toBe(true);
    expect(found.pagination !== undefined).toBe(op.paginated || op.onePage);
    expect(found.records, "an example shows something").toBeGreaterThan(0);
  },
);

test.each(mapped)("$id: the same request gets the same answer", async (op) => {
  const one = { startedAt: Date.now() };
  expect(await play(op, exampleOf(op), one)).toEqual(await play(op, exampleOf(op), one));
});
