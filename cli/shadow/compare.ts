import { type MappedError, type MappedFields, type Outline, typeWords } from "./fields.ts";

/** The differences between two versions' results of the same answers, by operation and field. */

/** `new` and `mends` are no harm; every other change takes something from callers or alters it. */
export type Change =
  | "fails"
  | "mends"
  | "other error"
  | "records"
  | "pages"
  | "left out"
  | "gone"
  | "new"
  | "retyped"
  | "changed";

export const harmless: ReadonlySet<Change> = new Set(["new", "mends"]);

export interface Difference {
  operation: string;
  /** Path of the field; `(answer)` for the whole. */
  path: string;
  change: Change;
  /** The results of the old and the new version, in words. */
  was: string;
  now: string;
  /** Records with the difference, of those that were compared. */
  records: number;
  of: number;
  /** Calls in which it was found. */
  calls: number;
}

type Found = Pick<Difference, "path" | "change" | "was" | "now" | "records" | "of">;

const whole = "(answer)";
const isError = (one: Outline): one is MappedError => "error" in one;

const errorText = ({ error, field }: MappedError): string =>
  field === undefined ? error : `${error} (${field})`;

/** The differences of one call. */
export function differencesOf(old: Outline, now: Outline): Found[] {
  const one = { records: 1, of: 1 };
  if (isError(old) || isError(now)) {
    const texts = {
      was: isError(old) ? errorText(old) : `${old.records} records`,
      now: isError(now) ? errorText(now) : `${now.records} records`,
    };
    const path = (isError(now) ? now.field : undefined) ?? whole;
    if (!isError(old)) return [{ path, change: "fails", ...texts, ...one }];
    if (!isError(now)) return [{ path: whole, change: "mends", ...texts, ...one }];
    return texts.was === texts.now ? [] : [{ path, change: "other error", ...texts, ...one }];
  }
  return [...ofAnswer(old, now), ...ofFields(old, now)];
}

function ofAnswer(old: MappedFields, now: MappedFields): Found[] {
  const one = { records: 1, of: 1 };
  const found: Found[] = [];
  if (old.records !== now.records)
    found.push({
      path: whole,
      change: "records",
      was: `${old.records} records`,
      now: `${now.records} records`,
      ...one,
    });
  if (old.hasMore !== now.hasMore)
    found.push({
      path: "pagination.has_more",
      change: "pages",
      was: String(old.hasMore),
      now: String(now.hasMore),
      ...one,
    });
  for (const [path, count] of Object.entries(now.dropped)) {
    const before = old.dropped[path] ?? 0;
    if (count > before)
      found.push({
        path,
        change: "left out",
        was: `missing in ${before} rows`,
        now: `missing in ${count} rows`,
        ...one,
      });
  }
  return found;
}

const typeWord = (mark: string): string => typeWords[mark.charAt(0)] ?? "";

/** The change of one record's field; undefined where both marks are equal. */
function changeOf(was: string, now: string): Change | undefined {
  if (was === now) return undefined;
  if (now === "") return "gone";
  if (was === "") return "new";
  return was.charAt(0) === now.charAt(0) ? "changed" : "retyped";
}

function ofFields(old: MappedFields, now: MappedFields): Found[] {
  const isAligned = old.records === now.records;
  return [...new Set([...Object.keys(old.fields), ...Object.keys(now.fields)])].flatMap((path) => {
    const before = old.fields[path] ?? [];
    const after = now.fields[path] ?? [];
    // With other records the n-th of one is not the n-th of the other: only what never comes can be told.
    if (!isAligned) {
      const one = { records: now.records, of: now.records };
      const [some, none] = [before.find(Boolean), after.find(Boolean)];
      if (some !== undefined && none === undefined)
        return [{ path, change: "gone" as const, was: typeWord(some), now: "absent", ...one }];
      if (some === undefined && none !== undefined)
        return [{ path, change: "new" as const, was: "absent", now: typeWord(none), ...one }];
      return [];
    }
    const counts = new Map<Change, Found>();
    for (let index = 0; index < old.records; index += 1) {
      const [was, is] = [before[index] ?? "", after[index] ?? ""];
      const change = changeOf(was, is);
      if (!change) continue;
      const seen = counts.get(change);
      if (seen) seen.records += 1;
      else {
        const words = (mark: string) =>
          mark === "" ? "absent" : change === "changed" ? `a ${typeWord(mark)}` : typeWord(mark);
        const now = change === "changed" ? "another value" : words(is);
        counts.set(change, { path, change, was: words(was), now, records: 1, of: old.records });
      }
    }
    return [...counts.values()];
  });
}

/** The same difference of several calls of an operation, once. */
export function joined(
  all: readonly { operation: string; found: readonly Found[] }[],
): Difference[] {
  const known = new Map<string, Difference>();
  for (const { operation, found } of all) {
    for (const one of found) {
      const id = JSON.stringify([operation, one.path, one.change]);
      const before = known.get(id);
      if (before) {
        before.records += one.records;
        before.of += one.of;
        before.calls += 1;
      } else known.set(id, { operation, ...one, calls: 1 });
    }
  }
  const order = (one: Difference) => Number(harmless.has(one.change));
  return [...known.values()].toSorted(
    (a, b) =>
      order(a) - order(b) || a.operation.localeCompare(b.operation) || a.path.localeCompare(b.path),
  );
}
