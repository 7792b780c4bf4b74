import fc from "fast-check";
import { expect, test } from "vitest";
import { priceOf } from "../../contract/pricing.ts";
import { creditsFor, mostRecords } from "../../contract/operation.ts";
import { full } from "../faults/full.ts";
import { changed, changesOf, numbersOf } from "./inputs.ts";
import { type Input, mapped, play } from "./play.ts";

/** Any mixture of valid fields, any cap, any page: the charge is within the dry run's price. */

const runs = full ? 200 : 6;
const mostFieldsAtOnce = 6;
const mostPages = 2;

test.each(mapped)("$id: any valid request costs the price of its dry run", async (op) => {
  const changes = [...changesOf(op)];
  const bounded = numbersOf(op);
  const numbers = fc.tuple(
    ...bounded.map(([name, min, max]) =>
      fc.option(
        fc.integer({ min, max }).map((value): Input => ({ [name]: value })),
        { nil: {} },
      ),
    ),
  );
  const requests = fc.record({
    changes: fc.subarray(changes, { maxLength: Math.min(changes.length, mostFieldsAtOnce) }),
    numbers,
    cap: fc.option(fc.integer({ min: 1, max: 120 }), { nil: Infinity }),
    scenario: fc.constantFrom(undefined, "empty", "second_page"),
  });
  let answered = 0;
  const property = fc.asyncProperty(requests, async ({ changes, numbers, cap, scenario }) => {
    const input = changed(op, Object.assign({}, ...changes, ...numbers) as Input);
    if (!input) return;
    const most = Math.min(mostRecords(op, input as never), Math.max(cap, op.minimum));
    const price = priceOf(op, most);
    let cursor;
    for (let page = 0; page < mostPages; page += 1) {
      const played = await play(op, input, {
        maxRecords: most,
        cursor,
        ...(scenario === undefined ? {} : { scenario }),
      });
      expect(played.faults).toEqual([]);
      if (!played.ok) return;
      answered += 1;
      const charge = creditsFor(op, played.records);
      expect(charge).toBeGreaterThanOrEqual(price.least);
      expect(charge).toBeLessThanOrEqual(price.most);
      cursor = played.pagination?.next;
      if (!cursor) return;
    }
  });
  // The operation's own example first, so that one call has rows whatever the random inputs are.
  const example = { changes: [], numbers: bounded.map((): Input => ({})) };
  await fc.assert(property, {
    numRuns: runs,
    examples: [[{ ...example, cap: Infinity, scenario: undefined }]],
  });
  expect(answered).toBeGreaterThan(0);
});
