import fc from "fast-check";
import { expect, test } from "vitest";
import { type Captured, captures } from "./captures.ts";
import { rerun, testedPaths } from "./derivation.ts";
import { type Difference, difference } from "./difference.ts";
import { replaying } from "./capture.ts";
import { absent, isLeaf, type Node, nodesOf, otherValues, withValue } from "./nodes.ts";
import { mapped, play } from "./play.ts";
import { needRecord, type Recorded } from "./records.ts";

/** FAULT_RUNS=1000 runs more of them. */
const numRuns = Number(process.env.FAULT_RUNS ?? 60);

/** Values that an upstream might send in place of any other. */
const junk = fc.oneof(
  fc.constantFrom<unknown>(absent, null, [], {}, "", "x", 0, -1, 1.5, 1e308, true, false),
  fc.constantFrom<unknown>("9007199254740993", "-0", "NaN", "__proto__", [null], [[]], [{}], {
    constructor: null,
    length: -1,
  }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Whether the path `inner` is inside `outer`; both are without indexes. */
function isInside(inner: string, outer: string): boolean {
  if (inner === outer || !inner.startsWith(outer)) return false;
  return outer === "" || outer.endsWith(" ") || /^[.[]/.test(inner.slice(outer.length));
}

/** Whether one of the places is this one or inside it. */
function holds(path: string, places: readonly string[]): boolean {
  return places.some((place) => {
    const other = place.replace(/\?$/, "");
    return other === path || isInside(other, path);
  });
}

interface Rules {
  derived: string[];
  /** Places whose fault may fail the whole call. */
  fatal: string[];
  /** Places whose fault may lose a row. */
  identifying: string[];
  recorded: Recorded;
  /** Places covered by the record. */
  tested: ReadonlySet<string>;
  /** Output list -> its rows in the first answer, for lists of at least two. */
  rowCounts: Map<string, number>;
}

function rulesOf(recorded: Recorded, captured: Captured, tested: ReadonlySet<string>): Rules {
  const all = [...Object.entries(recorded.derives), ...Object.entries(recorded.needs)];
  const leadingTo = (effect: RegExp) =>
    all.filter(([, outputs]) => effect.test(outputs)).map(([path]) => path);
  return {
    derived: Object.keys(recorded.derives),
    fatal: leadingTo(/!/),
    identifying: leadingTo(/-( |$)/),
    recorded,
    tested,
    rowCounts: listLengths(captured.answer.data),
  };
}

function listLengths(data: unknown, path = "", into = new Map<string, number>()) {
  if (Array.isArray(data)) into.set(`${path}[]`, data.length);
  else if (typeof data === "object" && data !== null) {
    for (const [name, value] of Object.entries(data)) {
      listLengths(value, path === "" ? name : `${path}.${name}`, into);
    }
  }
  return into;
}

const nextPageValue = /cursor|continuation/i;

function check(node: Node, found: Difference, rules: Rules): void {
  const { recorded } = rules;
  const isRecorded = rules.tested.has(node.path);
  const failures = [...found.outputs].filter((output) => output.startsWith("!"));
  for (const [list, source] of Object.entries(recorded.rows)) {
    if (!node.entries.some((entry) => entry.list === source)) continue;
    // A reply that is no answer at all may fail a call that needs several.
    if (node.steps.length === 0) continue;
    // A next-page value may be inside rows without being a row: without it the page does not fit.
    if (nextPageValue.test(node.path)) continue;
    const shared = Object.keys(recorded.shared);
    if (holds(node.path, shared) || shared.some((place) => isInside(node.path, place))) continue;
    if ((rules.rowCounts.get(list) ?? 0) < 2) continue;
    expect(failures, "a fault in one row fails no call").toEqual([]);
    expect(found.rows.get(list)?.size ?? 0, `rows of ${list} it touches`).toBeLessThanOrEqual(1);
  }
  const lost = [...found.outputs].filter((output) => output.endsWith("-"));
  if (lost.length > 0 && isRecorded && node.value !== null) {
    const isIdentifying = holds(node.path, rules.identifying);
    expect(isIdentifying, `${node.path}: ${lost.join()}, but nothing here identifies it`).toBe(
      true,
    );
  }
  if (failures.length > 0 && isRecorded) {
    const isOnlyRow = rules.fatal.some(
      (place) => node.path === `${place}[]` || isInside(node.path, `${place}[]`),
    );
    const isNeeded = holds(node.path, rules.fatal) || isOnlyRow;
    expect(isNeeded, `${node.path}: ${failures.join()}, but nothing here is needed`).toBe(true);
  }
}

/**
 * A fault in an underived place changes nothing. `hasEffect`: another valid value at this place
 * would.
 */
async function checkIdle(
  node: Node,
  found: Difference,
  rules: Rules,
  hasEffect: () => Promise<boolean>,
): Promise<void> {
  if (!rules.tested.has(node.path) || !isLeaf(node) || node.value === null) return;
  if (holds(node.path, rules.derived) || found.outputs.size === 0) return;
  const outputs = [...found.outputs].join();
  expect(await hasEffect(), `${node.path} derives nothing, a fault there changes ${outputs}`).toBe(
    true,
  );
}

/** Generous, because a machine that runs everything at once is slow. */
const timeoutMs = 60_000;

test.each(mapped)(
  "$id: any JSON in any place of a reply harms no more than that place",
  async (op) => {
    const recorded = needRecord(op);
    const all = await captures(op);
    const tested = testedPaths(all);
    for (const captured of all) {
      const nodes = nodesOf(captured.exchanges);
      // Some operations compute their answer without an upstream.
      if (nodes.length === 0) continue;
      const rules = rulesOf(recorded, captured, tested);
      // Every kind of place is equally likely, however many rows there are.
      const places = [...Map.groupBy(nodes.keys(), (index) => nodes[index]?.path).values()];
      const place = fc.constantFrom(...places).chain((alike) => fc.constantFrom(...alike));
      const paid = fc.option(fc.integer({ min: 1, max: 3 }), { freq: 3 });
      await fc.assert(
        fc.asyncProperty(place, junk, paid, async (index, value, most) => {
          const node = nodes[index] as Node;
          const outbound = replaying(withValue(captured.exchanges, node, value));
          const played = await play(op, captured.input, {
            outbound,
            startedAt: captured.startedAt,
            ...(most === null ? {} : { maxRecords: most }),
          });
          expect(played.faults, node.path).toEqual([]);
          if (!played.ok) expect(played.type, node.path).not.toBe("internal_error");
          else if (most !== null) expect(played.records).toBeLessThanOrEqual(most);
          if (most !== null) return;
          const found = difference(captured.answer, played);
          check(node, found, rules);
          await checkIdle(node, found, rules, async () => {
            const values = otherValues(
              node,
              nodes.filter((other) => other.path === node.path),
            );
            const others = await Promise.all(values.map((other) => rerun(captured, node, other)));
            return others.some((other) => difference(captured.answer, other).outputs.size > 0);
          });
        }),
        { seed: 20260701, numRuns },
      );
    }
  },
  timeoutMs,
);
