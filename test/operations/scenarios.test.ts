import { expect, test } from "vitest";
import { playAtEdge } from "../../api/scenario.ts";
import { type ErrorType, errorTypes } from "../../contract/errors.ts";
import type { Operation } from "../../contract/operation.ts";
import { exampleOf } from "./inputs.ts";
import { mapped, play, rowsOf } from "./play.ts";

/** The type that a forced error ends in: some occur before the queue, the others in the worker. */
async function forced(op: Operation, scenario: ErrorType): Promise<string> {
  try {
    playAtEdge(scenario, op);
  } catch (error) {
    return (error as { type: string }).type;
  }
  const played = await play(op, exampleOf(op), { scenario });
  return played.ok ? "ok" : played.type;
}

test.each(mapped)("$id: every forced error has its type", async (op) => {
  const ends = await Promise.all(errorTypes.map(async (type) => [type, await forced(op, type)]));
  expect(Object.fromEntries(ends)).toEqual(
    Object.fromEntries(errorTypes.map((type) => [type, type])),
  );
});

/** Answers with a row for each input, even without data. */
const countsNothing = new Set(["geo.mentions.cross_aggregated_metrics"]);

test.each(mapped)("$id: finds nothing in the scenario empty", async (op) => {
  const played = await play(op, exampleOf(op), { scenario: "empty" });
  expect(played.faults).toEqual([]);
  if (!played.ok) expect(played.type).toBe("not_found");
  else if (countsNothing.has(op.id)) {
    for (const row of rowsOf(op, played.data)) expect(row).toMatchObject({ mentions: 0 });
  } else if (op.records.kind === "list") {
    expect(rowsOf(op, played.data)).toEqual([]);
    expect(played.pagination?.has_more ?? false).toBe(false);
  }
});

test("every operation is delayed, once, in the scenario slow", async () => {
  // A busy machine delays every call: those that took twice as long are repeated with fewer beside
  // them.
  let late = mapped;
  for (let attempt = 0; attempt < 6 && late.length > 0; attempt += 1) {
    const times = await Promise.all(
      late.map(async (op) => {
        const from = performance.now();
        await play(op, exampleOf(op), { scenario: "slow" });
        return { op, ms: performance.now() - from };
      }),
    );
    expect(times.filter(({ ms }) => ms < 2900)).toEqual([]);
    late = times.filter(({ ms }) => ms > 5900).map(({ op }) => op);
  }
  expect(late.map(({ id }) => id)).toEqual([]);
}, 120_000);
