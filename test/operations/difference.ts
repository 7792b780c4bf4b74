import { identityOf, type Played } from "./play.ts";

/** Differences between two answers to the same call. */
export interface Difference {
  /**
   * Output paths without indexes. Beside fields: `x[]-` and `x[]+` a removed or added row, `x[]~` a
   * moved one, `@…` the pagination, `!type` a failed call.
   */
  outputs: Set<string>;
  /** Changed rows of the first answer, by their list. */
  rows: Map<string, Set<number>>;
  /** Outputs outside of rows. */
  beside: Set<string>;
}

export function difference(before: Played, after: Played): Difference {
  const found: Difference = { outputs: new Set(), rows: new Map(), beside: new Set() };
  const mark = (output: string) => {
    found.outputs.add(output);
    found.beside.add(output);
  };
  if (!before.ok) throw new Error("the first answer must be a success");
  if (!after.ok) mark(`!${after.type}`);
  else {
    if (!before.bytes.equals(after.bytes)) compare(before.data, after.data, "", found);
    if (before.pagination?.has_more !== after.pagination?.has_more) mark("@has_more");
    if (!same(before.pagination?.next, after.pagination?.next)) mark("@next");
  }
  return found;
}

/** Whether two values are the same JSON text: members in the same order too. */
function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [names, others] = [Object.keys(a), Object.keys(b)];
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  return (
    names.length === others.length &&
    names.every((name, index) => name === others[index] && same(left[name], right[name]))
  );
}

const joined = (path: string, name: string) => (path === "" ? name : `${path}.${name}`);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Compares outside of rows: members one by one, lists row by row. */
function compare(a: unknown, b: unknown, path: string, found: Difference): void {
  if (Array.isArray(a) && Array.isArray(b)) {
    compareRows(a, b, `${path}[]`, found);
  } else if (isObject(a) && isObject(b)) {
    for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
      compare(a[name], b[name], joined(path, name), found);
    }
  } else {
    for (const output of inside(a, b, path)) {
      found.outputs.add(output);
      found.beside.add(output);
    }
  }
}

/** Paths that differ within one row; lists in it are compared entry by entry. */
function inside(a: unknown, b: unknown, path: string): string[] {
  if (same(a, b)) return [];
  if (Array.isArray(a) || Array.isArray(b)) {
    const [left, right] = [Array.isArray(a) ? a : [], Array.isArray(b) ? b : []];
    const length = Math.max(left.length, right.length);
    return Array.from({ length }, (_, index) =>
      inside(left[index], right[index], `${path}[]`),
    ).flat();
  }
  if (isObject(a) || isObject(b)) {
    const [left, right] = [isObject(a) ? a : {}, isObject(b) ? b : {}];
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].flatMap((name) => inside(left[name], right[name], joined(path, name)));
  }
  return [path];
}

function compareRows(
  a: readonly unknown[],
  b: readonly unknown[],
  path: string,
  found: Difference,
): void {
  const { gone, come } = unmatched(a, b);
  const touched = (row: number) => {
    found.rows.set(path, (found.rows.get(path) ?? new Set()).add(row));
  };
  const changed = (from: number, to: number, moved: boolean) => {
    touched(from);
    for (const output of inside(a[from], b[to], path)) found.outputs.add(output);
    if (moved) found.outputs.add(`${path}~`);
    gone.delete(from);
    come.delete(to);
  };
  for (const from of gone) {
    const to = [...come].find((index) => identityOf(b[index]) === identityOf(a[from]));
    if (to !== undefined) changed(from, to, gone.size === 1 && to !== from);
  }
  // A row whose identity changed is at the same position, or moved and still similar.
  for (const from of gone) {
    if (come.has(from)) changed(from, from, false);
  }
  for (const from of gone) {
    const to = [...come].find((index) => alike(a[from], b[index]));
    if (to !== undefined) changed(from, to, true);
  }
  // A removed row lets the next one in at the end, an added row pushes the last one out.
  const isRefilled = (to: number) => to >= b.length - gone.size;
  const isPushed = (from: number) => from >= a.length - come.size;
  const [lost, gained] = [[...gone], [...come]];
  const refilled = gained.every(isRefilled);
  for (const from of lost) {
    if (gained.length > 0 && !refilled && lost.every(isPushed)) continue;
    touched(from);
    found.outputs.add(`${path}-`);
  }
  for (const to of gained) {
    if (lost.length > 0 && refilled) continue;
    touched(a.length + to);
    found.outputs.add(`${path}+`);
  }
}

/** Whether two rows without an id have at least half of their members in common. */
function alike(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b) || "id" in a || "id" in b) return false;
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.filter((name) => same(a[name], b[name])).length * 2 >= names.length;
}

const text = (row: unknown) => JSON.stringify(row);

/** Indexes outside of the longest common subsequence. */
function unmatched(a: readonly unknown[], b: readonly unknown[]) {
  let start = 0;
  while (start < a.length && start < b.length && same(a[start], b[start])) start += 1;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && same(a[a.length - 1 - end], b[b.length - 1 - end])) end += 1;
  const left = a.slice(start, a.length - end).map(text);
  const right = b.slice(start, b.length - end).map(text);
  const lengths = Array.from({ length: left.length + 1 }, () =>
    Array.from({ length: right.length + 1 }, () => 0),
  );
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = left.length - 1; i >= 0; i -= 1) {
    for (let j = right.length - 1; j >= 0; j -= 1) {
      (lengths[i] as number[])[j] =
        left[i] === right[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const gone = new Set<number>();
  const come = new Set<number>();
  let [i, j] = [0, 0];
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) [i, j] = [i + 1, j + 1];
    else if (j >= right.length || (i < left.length && at(i + 1, j) >= at(i, j + 1))) {
      gone.add(start + i);
      i += 1;
    } else {
      come.add(start + j);
      j += 1;
    }
  }
  return { gone, come };
}
