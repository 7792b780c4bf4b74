import type { Operation } from "../../contract/operation.ts";
import { capturing, type Exchange, replaying } from "./capture.ts";
import { changed, variants } from "./inputs.ts";
import { type Input, play, type Played } from "./play.ts";
import { fieldPaths, presentPaths } from "./schema.ts";
import { reduced, trimmed } from "./trim.ts";

/** One call with the upstream replies behind its answer. */
export interface Captured {
  op: Operation;
  input: Input;
  exchanges: readonly Exchange[];
  answer: Played & { ok: true };
  /** Time of the call, so that repeats with other replies report the same time. */
  startedAt: number;
}

const mostCaptures = 4;
const mostVariants = 40;

/** The call on the fewest replies that show the same; undefined where it shows nothing wanted. */
async function capture(
  op: Operation,
  input: Input,
  isWanted: (shown: ReadonlySet<string>) => boolean,
): Promise<Captured | undefined> {
  const whole: Exchange[] = [];
  const startedAt = Date.now();
  const first = await play(op, input, { outbound: capturing(whole), startedAt });
  if (!first.ok) return undefined;
  const needed = shown(first.data);
  if (!isWanted(needed)) return undefined;
  const replay = async (exchanges: readonly Exchange[]) => {
    const answer = await play(op, input, { outbound: replaying(exchanges), startedAt });
    return answer.ok && needed.isSubsetOf(shown(answer.data)) ? answer : undefined;
  };
  const isEnough = async (fewer: readonly Exchange[]) => (await replay(fewer)) !== undefined;
  // The fewer replies and rows show the same fields, the fewer values need changing.
  const shorter = trimmed(whole);
  for (const candidate of [shorter.slice(0, 1), shorter, whole]) {
    if (!(await isEnough(candidate))) continue;
    const exchanges = await reduced(candidate, isEnough);
    const answer = await replay(exchanges);
    if (answer) return { op, input, exchanges, answer, startedAt };
  }
  return { op, input, exchanges: whole, answer: first, startedAt };
}

/** Calls that together show every field of the samples with a value: the example first. */
export async function captures(op: Operation): Promise<Captured[]> {
  const missing = new Set([...fieldPaths(op)].flatMap((path) => [path, `${path}!`]));
  const found: Captured[] = [];
  const usual = changed(op, { limit: undefined });
  const others = take(variants(op), mostVariants);
  // A longer list adds little for its cost, so use it only for a field that is otherwise missing.
  const isLonger = (input: Input) => usual !== undefined && input.limit !== usual.limit;
  const inputs = [usual, ...others.filter((i) => !isLonger(i)), ...others.filter(isLonger)];
  for (const input of inputs) {
    if (found.length === mostCaptures || (found.length > 0 && missing.size === 0)) break;
    if (!input || (isLonger(input) && ![...missing].some((path) => !path.endsWith("!")))) continue;
    const captured = await capture(
      op,
      input,
      (here) => found.length === 0 || !here.isDisjointFrom(missing),
    );
    if (!captured) continue;
    for (const path of shown(captured.answer.data)) missing.delete(path);
    found.push(captured);
  }
  if (found.length === 0) throw new Error(`${op.id} answers neither its example nor a variant`);
  return found;
}

/** Present fields, and with "!" those with a value: neither empty nor 0 nor false. */
function shown(data: unknown): Set<string> {
  const full = [...outputLeaves(data)].filter(([, values]) => values.some(Boolean));
  return new Set([...presentPaths(data), ...full.map(([path]) => `${path}!`)]);
}

function take<T>(from: Iterable<T>, most: number): T[] {
  const taken: T[] = [];
  for (const item of from) {
    if (taken.length === most) break;
    taken.push(item);
  }
  return taken;
}

/** Output fields that hold a value -> the values. */
export function outputLeaves(data: unknown, path = "", into = new Map<string, unknown[]>()) {
  if (Array.isArray(data)) for (const entry of data) outputLeaves(entry, `${path}[]`, into);
  else if (typeof data === "object" && data !== null) {
    for (const [name, value] of Object.entries(data)) {
      outputLeaves(value, path === "" ? name : `${path}.${name}`, into);
    }
  } else {
    const values = into.get(path);
    if (values) values.push(data);
    else into.set(path, [data]);
  }
  return into;
}
