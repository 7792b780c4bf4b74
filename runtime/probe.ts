/**
 * A probe is a job of `gateway verify`: it runs as every job does, and its outcome also says what the
 * upstreams answered, as shapes without values.
 *
 * `ask`: the job ends before its first request, and says which upstreams it would send it to.
 * `call`: the job sends its requests. `record`: it also returns the answers, with personal values replaced.
 */
export type ProbeKind = "ask" | "call" | "record";

/** Path of a member -> types seen there, joined by "|". List positions are `[]`, keys that are data are `*`. */
export type Shape = Record<string, string>;

export interface ProbedUpstream {
  upstream: string;
  /** Environment variables of the credential; none where the upstream requires none. */
  credentials: readonly string[];
  /** Whether this worker has them. */
  hasCredentials: boolean;
}

export interface ProbeReport {
  /** The upstreams that the job turned to. */
  asked: ProbedUpstream[];
  /** Those that it could have turned to in their place; absent from workers of release 0.2.0. */
  others?: string[] | undefined;
  /** Shapes of the good answers, by upstream. */
  shapes: Record<string, Shape>;
  /** Rows left out, by the field that they lacked. */
  dropped: Record<string, number>;
  /** Cost in dollars, where the upstream reports it. */
  dollars: number;
  /** With `record`: the good answers as JSON, and the input, all with personal values replaced. */
  recorded?: Recorded | undefined;
}

export interface Recorded {
  answers: string[];
  input: unknown;
}

/** An outcome carries recorded answers up to this many characters in all. */
export const mostRecorded = 2_000_000;

const most = { depth: 14, paths: 1500, rows: 50, keyLength: 60 };

/** An object with more keys than this whose members look alike is a map with data as keys. */
const mapKeys = 12;

const dataKey = /^(\d+|\d{4}-\d\d(-\d\d.*)?|[0-9a-f]{8,}|[a-z]{2}([-_][A-Za-z]{2,4})?)$/;

/** Integers beyond 2^53 are read as texts of digits, so these fit numbers and texts alike. */
const digits = /^-?\d{16,}$/;

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (value === "") return "empty";
  return typeof value === "string" && digits.test(value) ? "digits" : typeof value;
}

/** True where the keys of an object are data: ids, dates, languages, or many keys with members of one type. */
function isMap(members: readonly [string, unknown][]): boolean {
  if (members.length < 3)
    return members.length > 0 && members.every(([key]) => /^\d{2,}/.test(key));
  if (members.every(([key]) => dataKey.test(key))) return true;
  const types = new Set(members.map(([, value]) => typeOf(value)));
  return members.length > mapKeys && types.size === 1 && types.has("object");
}

/** The shape of a JSON value. Of a long list the first rows are read. */
export function shapeOf(value: unknown): Shape {
  const found = new Map<string, Set<string>>();

  function walk(here: unknown, path: string, depth: number): void {
    const types = found.get(path);
    if (types) types.add(typeOf(here));
    else if (found.size < most.paths) found.set(path, new Set([typeOf(here)]));
    else return;
    if (typeof here !== "object" || here === null || depth >= most.depth) return;
    if (Array.isArray(here)) {
      for (const row of here.slice(0, most.rows)) walk(row, `${path}[]`, depth + 1);
      return;
    }
    const members = Object.entries(here);
    const folded = isMap(members);
    for (const [key, member] of folded ? members.slice(0, most.rows) : members) {
      const name = folded ? "*" : key.slice(0, most.keyLength);
      walk(member, path === "" ? name : `${path}.${name}`, depth + 1);
    }
  }

  walk(value, "", 0);
  return Object.fromEntries([...found].map(([path, types]) => [path, textOf(types)]));
}

const textOf = (types: Iterable<string>): string => [...types].toSorted().join("|");

/** Both shapes in one. */
export function joinedShape(one: Shape, other: Shape): Shape {
  const joined = { ...one };
  for (const [path, types] of Object.entries(other)) {
    const before = joined[path];
    joined[path] =
      before === undefined ? types : textOf(new Set([...before.split("|"), ...types.split("|")]));
  }
  return joined;
}
