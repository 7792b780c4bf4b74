import { full } from "../faults/full.ts";
import { replaying } from "./capture.ts";
import { type Captured, outputLeaves } from "./captures.ts";
import { type Difference, difference } from "./difference.ts";
import { absent, isLeaf, type Node, nodesOf, otherValues, withValue } from "./nodes.ts";
import { play, type Played } from "./play.ts";
import { Reads } from "./reads.ts";
import { fieldPaths, presentPaths } from "./schema.ts";

/** A changed wire leaf, and the effect of the change. */
interface Effect {
  capture: number;
  node: Node;
  difference: Difference;
}

export interface Derivation {
  /** Wire path -> outputs that change with it. */
  derives: Map<string, Set<string>>;
  /**
   * Wire path -> error of the whole call, or the lost row, when its value is replaced or missing.
   */
  needs: Map<string, Set<string>>;
  /** Output list -> the wire list whose entries are its rows. */
  rows: Map<string, string>;
  /** Wire paths of which one leaf changes several rows. */
  shared: Set<string>;
  /** Outputs outside of rows that change with several rows. */
  summary: Set<string>;
  /**
   * Output fields that no wire leaf changes or no captured answer shows -> the input field behind
   * them, if any.
   */
  unchanged: Map<string, string | undefined>;
}

/** Changes tried for one wire path, and effective changes after which it stops. */
const tries = 3;
const enough = 2;
/**
 * Limit of wire paths whose values are changed; of a deep reply (posts in posts) those nearest to
 * the top.
 */
const mostPaths = 150;
/** Further changes for outputs without an effect so far. */
const secondLook = 150;

/** The call with one value of its replies changed. Throws when the worker logs its own fault. */
export async function rerun(captured: Captured, node: Node, value: unknown): Promise<Played> {
  const outbound = replaying(withValue(captured.exchanges, node, value));
  const { op, input, startedAt } = captured;
  const played = await play(op, input, { outbound, startedAt });
  if (played.faults.length === 0) return played;
  const shown = typeof value === "symbol" ? "nothing" : JSON.stringify(value);
  throw new Error(`${shown} at ${node.path} (${node.steps.join("/")}): ${played.faults.join()}`);
}

/** The effect of one changed value of a call's replies. */
type Change = (node: Node, value: unknown) => Promise<Difference>;

/** Of the values that the call never reads, one in this many is changed as well, to check `Reads`. */
const unreadPlayed = full ? 1 : 20;

async function changesOf(captured: Captured): Promise<Change> {
  const { op, input, exchanges, startedAt, answer } = captured;
  const reads = new Reads();
  const outbound = replaying(reads.recording(exchanges));
  const again = difference(answer, await play(op, input, { outbound, startedAt }));
  if (again.outputs.size > 0) throw new Error(`${op.id}: equal replies, but another answer`);
  let unread = 0;
  return async (node, value) => {
    const matters = reads.matters(exchanges, node, value);
    if (!matters && (unread += 1) % unreadPlayed > 0) return again;
    const found = difference(answer, await rerun(captured, node, value));
    if (matters || found.outputs.size === 0) return found;
    throw new Error(`${node.path} was not read, and changes ${[...found.outputs].join()}`);
  };
}

/**
 * The outputs that each wire value of the captured replies derives, found by changing one value at
 * a time. `settled` are outputs known not to change.
 */
export async function derive(
  all: readonly Captured[],
  settled: readonly string[],
): Promise<Derivation> {
  const effects: Effect[] = [];
  const needs = new Map<string, Set<string>>();
  const within = testedPaths(all);
  /** Wire paths of earlier captures, so that a later one tries only its new ones. */
  const tested = new Set<string>();
  for (const [index, captured] of all.entries()) {
    const nodes = nodesOf(captured.exchanges);
    const groups = Map.groupBy(nodes, (node) => node.path);
    const change = await changesOf(captured);
    const tryNode = async (node: Node, values = Infinity): Promise<boolean> => {
      const others = otherValues(node, groups.get(node.path) ?? []).slice(0, values);
      for (const value of others) {
        const found = await change(node, value);
        if (found.outputs.size === 0) continue;
        effects.push({ capture: index, node, difference: found });
        return true;
      }
      return false;
    };
    const rest: Node[] = [];
    for (const [path, group] of groups) {
      const leaves = group.filter((node) => isLeaf(node) && node.value !== null).sort(innerFirst);
      if (tested.has(path) || !within.has(path)) {
        rest.push(...leaves);
        continue;
      }
      tested.add(path);
      let effective = 0;
      let tried = 0;
      for (const node of leaves) {
        if (tried === tries || effective === enough) rest.push(node);
        else {
          // Where no value had an effect at first, one more try is enough.
          const values = tried > effective ? 1 : Infinity;
          tried += 1;
          if (await tryNode(node, values)) effective += 1;
        }
      }
      const first = group[0] as Node;
      const isList = Array.isArray(first.value);
      const others = isList ? [{}, [{}]] : [isLeaf(first) ? {} : []];
      for (const value of [absent, null, ...others]) {
        if (value === first.value) continue;
        const taken = await change(first, value);
        for (const output of taken.outputs) {
          if (!/^!|-$/.test(output)) continue;
          needs.set(first.path, (needs.get(first.path) ?? new Set()).add(output));
        }
      }
    }
    const open = unreached(captured, effects);
    for (const output of settled) open.delete(output);
    for (const node of onePerPath(rest).slice(0, secondLook)) {
      if (open.size === 0) break;
      if (!(await tryNode(node))) continue;
      for (const output of effects.at(-1)?.difference.outputs ?? []) open.delete(output);
    }
    if (open.size > 0) effects.push(...(await presences(change, index, groups, open)));
  }
  return summarise(all, effects, needs);
}

/** Wire paths that `derive` tries. */
export function testedPaths(all: readonly Captured[]): Set<string> {
  const depths = new Map<string, number>();
  for (const { path, steps } of all.flatMap(({ exchanges }) => nodesOf(exchanges))) {
    depths.set(path, Math.min(depths.get(path) ?? Infinity, steps.length));
  }
  const paths = [...depths.keys()].sort((a, b) => (depths.get(a) ?? 0) - (depths.get(b) ?? 0));
  return new Set(paths.slice(0, mostPaths));
}

/** The first node of every path, then the second of every path, and so on; shallow before deep. */
function onePerPath(nodes: readonly Node[]): Node[] {
  const turns = [...Map.groupBy(nodes, (node) => node.path).values()].flatMap((alike) =>
    alike.map((node, turn) => ({ node, turn })),
  );
  const order = turns.sort((a, b) => a.turn - b.turn || a.node.steps.length - b.node.steps.length);
  return order.map(({ node }) => node);
}

/** Outputs that report whether something is present: they change when it is removed. */
async function presences(
  change: Change,
  index: number,
  groups: ReadonlyMap<string, readonly Node[]>,
  open: ReadonlySet<string>,
): Promise<Effect[]> {
  const found: Effect[] = [];
  for (const [path, group] of groups) {
    for (const node of group.filter(({ steps }) => steps.length > 0).slice(0, tries)) {
      const taken = await change(node, absent);
      const outputs = taken.outputs.intersection(open);
      if (outputs.size === 0) continue;
      const beside = taken.beside.intersection(open);
      const place = { ...node, path: `${path}?` };
      found.push({ capture: index, node: place, difference: { ...taken, outputs, beside } });
      break;
    }
  }
  return found;
}

/** First entries of inner lists before later ones, in whatever row. */
function innerFirst(a: Node, b: Node): number {
  const depth = (node: Node) =>
    node.steps
      .filter((step) => typeof step === "number")
      .slice(1)
      .reduce((sum, n) => sum + n, 0);
  return depth(a) - depth(b);
}

function unreached(captured: Captured, effects: readonly Effect[]): Set<string> {
  const open = outputLeaves(captured.answer.data);
  for (const { difference: found } of effects) {
    for (const output of found.outputs) open.delete(output);
  }
  return new Set(open.keys());
}

function summarise(
  all: readonly Captured[],
  effects: readonly Effect[],
  needs: Map<string, Set<string>>,
): Derivation {
  const derives = new Map<string, Set<string>>();
  const shared = new Set<string>();
  const summary = new Set<string>();
  const unchanged = new Map<string, string | undefined>();
  for (const { node, difference: found } of effects) {
    const outputs = derives.get(node.path) ?? new Set();
    derives.set(node.path, outputs);
    for (const output of found.outputs) outputs.add(output);
  }
  const reached = new Set(effects.flatMap(({ difference: found }) => [...found.outputs]));
  const rows = rowLists(effects);
  const besides = new Map<string, Set<string>>();
  const summed = new Map<string, Set<string>>();
  for (const { capture: index, node, difference: found } of effects) {
    const inList = node.entries.length > 1;
    for (const [list, touched] of found.rows) {
      const source = rows.get(list);
      const inRow = node.entries.find((entry) => entry.list === source);
      if (touched.size > 1 && (inRow || inList)) shared.add(node.path);
      if (!inRow) continue;
      const key = `${index} ${list} ${[...touched].join()}`;
      const owner = besides.get(key) ?? new Set();
      besides.set(key, owner.add(inRow.entry));
      if (owner.size > 1) shared.add(node.path);
    }
    const row = node.entries.find((entry) => [...rows.values()].includes(entry.list));
    for (const output of row ? found.beside : []) {
      if (!row || /^[@!]/.test(output)) continue;
      const key = `${index} ${row.list} ${output}`;
      const from = summed.get(key) ?? new Set();
      summed.set(key, from.add(row.entry));
      if (from.size > 1) summary.add(output);
    }
  }
  for (const { answer, input } of all) {
    const inputFields = Object.entries(input);
    for (const [output, values] of outputLeaves(answer.data)) {
      if (reached.has(output)) continue;
      const echo = inputFields.find(([, field]) => values.every((value) => repeats(field, value)));
      unchanged.set(output, unchanged.get(output) ?? echo?.[0]);
    }
  }
  const seen = all.map(({ answer }) => presentPaths(answer.data));
  const declared = all[0] ? [...fieldPaths(all[0].op)] : [];
  const unseen = new Set(declared.filter((path) => !seen.some((paths) => paths.has(path))));
  for (const path of unseen) {
    // The content of an absent field is absent with it.
    const holder = path.slice(0, path.lastIndexOf(".")).replace(/(\[\])+$/, "");
    if (!unseen.has(holder)) unchanged.set(path, undefined);
  }
  return { derives, needs, rows, shared, summary, unchanged };
}

/**
 * For each output list the outermost wire list whose entries each affect one row at most. A list
 * that shows a single row proves nothing.
 */
function rowLists(effects: readonly Effect[]): Map<string, string> {
  const touched = new Map<string, Map<string, Map<string, Set<number>>>>();
  for (const { capture: index, node, difference: found } of effects) {
    // A removed entry may shift the rows after it.
    if (node.path.endsWith("?")) continue;
    for (const [output, rows] of found.rows) {
      const lists = touched.get(output) ?? new Map<string, Map<string, Set<number>>>();
      touched.set(output, lists);
      for (const { list, entry } of node.entries) {
        const entries = lists.get(list) ?? new Map<string, Set<number>>();
        lists.set(list, entries);
        const key = `${index} ${entry}`;
        entries.set(key, (entries.get(key) ?? new Set()).union(rows));
      }
    }
  }
  const found = new Map<string, string>();
  for (const [output, lists] of touched) {
    const candidates = [...lists].filter(
      ([, entries]) => entries.size > 1 && [...entries.values()].every((rows) => rows.size === 1),
    );
    const outermost = candidates.sort(([a], [b]) => a.length - b.length)[0];
    if (outermost) found.set(output, outermost[0]);
  }
  return found;
}

function repeats(field: unknown, value: unknown): boolean {
  if (Array.isArray(field)) return field.some((entry) => repeats(entry, value));
  if (typeof field === "object" && field !== null) {
    return Object.values(field).some((entry) => repeats(entry, value));
  }
  const [long, short] = [String(field), String(value)].sort((a, b) => b.length - a.length);
  return long === short || (short !== undefined && short.length > 3 && !!long?.includes(short));
}
