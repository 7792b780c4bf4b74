import type { DriftFinding, DriftProfile } from "../../runtime/drift.ts";
import { isAlike, type Kind, kinds } from "./kinds.ts";
import { noChance, oddsOfHits, oddsOfMisses } from "./odds.ts";
import { anyName, entry, Place, together, type Window } from "./window.ts";

/** Answers that must have come before anything counts as a change. */
const fewest = 30;
/** Answers that a change must last. */
const shortest = 8;
/** An answer without a value, such as null, mostly means that there is no such thing; a batch may ask for many. */
const shortestOfWhole = 100;
/** An answer `{}` may mean the same, though seldom. */
const shortestOfBare = 20;
/** A place or kind is young for this many answers; after them it is usual. */
const youth = 64;
/** Beyond this many answers the old ones count half, so that slow changes are learned. */
const remembered = 2000;
/** A place without a value for this many answers is forgotten. */
const forgotten = 20_000;
const mostPlaces = 1500;
const mostFindings = 100;
const endedKeptMs = 7 * 24 * 3600 * 1000;
/** Members from which on an object may be one whose members are named by data. */
const manyMembers = 64;

/** Hits so far, and for a young one: answers before its first sight and since. */
interface Seen {
  n: number;
  before?: number;
  since?: number;
}

/** Counts of one path. They count answers; those of the run without a value are not in `of` yet. */
interface Known extends Seen {
  /** Answers in which the place could come. */
  of: number;
  /** Answers since the last value, and how many of them had an empty one. */
  run: number;
  empty: number;
  objects: number;
  lists: number;
  kinds: Partial<Record<Kind, Seen>>;
  /** True where the members are named by data. */
  map?: true;
  in?: Record<string, Known>;
}

const newPlace = (): Known => ({
  n: 0,
  of: 0,
  run: 0,
  empty: 0,
  objects: 0,
  lists: 0,
  kinds: {},
});

export function newProfile(
  about: Pick<DriftProfile, "operation" | "upstream" | "route">,
  now: number,
): DriftProfile {
  return { ...about, answers: 0, since: now, last: now, findings: [], places: newPlace() };
}

/** Folds a window into a profile, and returns the changes that were not known before. */
export function learn(profile: DriftProfile, window: Window, now: number): DriftFinding[] {
  const learner = new Learner(profile);
  learner.merge(profile.places as Known, window.root, window.answers, "");
  profile.answers += window.answers;
  profile.last = now;
  const changes = new Map<string, Change>();
  judge(profile.places as Known, "", (change) => changes.set(idOf(change), change));
  return updated(profile, changes, now);
}

type Change = Omit<DriftFinding, "first" | "last" | "ended">;
const idOf = ({ path, change }: Change): string =>
  // A field that is gone may come empty later on; that is the same finding.
  `${change === "emptied" ? "gone" : change} ${path}`;

function updated(
  profile: DriftProfile,
  changes: ReadonlyMap<string, Change>,
  now: number,
): DriftFinding[] {
  const open = new Map<string, DriftFinding>();
  const kept = profile.findings.filter((finding) => {
    if (finding.ended !== undefined) return now - finding.ended < endedKeptMs;
    const change = changes.get(idOf(finding));
    if (change) open.set(idOf(finding), Object.assign(finding, change, { last: now }));
    else finding.ended = now;
    return true;
  });
  const found: DriftFinding[] = [];
  for (const [id, change] of changes) {
    if (open.has(id) || kept.length + found.length >= mostFindings) continue;
    found.push({ ...change, first: now, last: now });
  }
  profile.findings = [...kept, ...found];
  return found;
}

const shown = (path: string): string => (path === "" ? "(answer)" : path);

const pathOf = (path: string, name: string): string =>
  name === entry ? `${path}${entry}` : path === "" ? name : `${path}.${name}`;

class Learner {
  #places: number;
  /** Paths whose absence is known as a change, so that it is not learned. */
  readonly #gone: ReadonlySet<string>;

  constructor({ places, findings }: DriftProfile) {
    this.#places = countOf(places as Known);
    const gone = findings.filter(
      ({ change, ended }) => ended === undefined && (change === "gone" || change === "emptied"),
    );
    this.#gone = new Set(gone.map(({ path }) => path));
  }

  /** `possible`: answers of the window in which the place could come. */
  merge(known: Known, seen: Place | undefined, possible: number, path: string): void {
    if (possible === 0) return;
    count(known, seen, possible, this.#gone.has(shown(path)));
    if (!seen) return;
    const before = { objects: known.objects, lists: known.lists };
    known.objects += seen.objects;
    known.lists += seen.lists;
    const children = known.map ? folded(seen) : (seen.children ?? new Map<string, Place>());
    const inside = new Map(Object.entries(known.in ?? {}));
    for (const name of new Set([...inside.keys(), ...children.keys()])) {
      const isEntry = name === entry;
      const came = children.get(name);
      const could = isEntry ? seen.lists : seen.objects;
      const place = inside.get(name) ?? this.#added(inside, name, came);
      if (!place) continue;
      // Members that have just been folded are not new.
      const isFirst = place.of === 0 && place.run === 0 && !(known.map && name === anyName);
      if (isFirst) begin(place, isEntry ? before.lists : before.objects);
      this.merge(place, came, could, pathOf(path, name));
      if (place.run > forgotten) inside.delete(name);
    }
    if (isNamedByData(inside, known.objects)) {
      known.map = true;
      for (const name of inside.keys()) if (name !== entry) inside.delete(name);
    }
    if (inside.size > 0) known.in = Object.fromEntries(inside);
  }

  #added(inside: Map<string, Known>, name: string, came: Place | undefined): Known | undefined {
    if (!came?.present || this.#places >= mostPlaces) return undefined;
    this.#places += 1;
    const place = newPlace();
    inside.set(name, place);
    return place;
  }
}

function countOf(place: Known): number {
  let all = 1;
  for (const child of Object.values(place.in ?? {})) all += countOf(child);
  return all;
}

/** The members of an object whose names are data, as one. */
function folded(seen: Place): Map<string, Place> {
  const children = new Map(seen.children);
  const list = children.get(entry);
  children.delete(entry);
  const all = new Map(list ? [[entry, list]] : []);
  if (children.size > 0) all.set(anyName, together([...children.values()]));
  return all;
}

function begin(seen: Seen, before: number): void {
  if (before < fewest) return;
  seen.before = before;
  seen.since = 0;
}

function grow(seen: Seen, hits: number, possible: number): void {
  seen.n += hits;
  if (seen.since === undefined) return;
  seen.since += possible;
  if (seen.since <= youth) return;
  delete seen.before;
  delete seen.since;
}

function count(known: Known, seen: Place | undefined, possible: number, isGone: boolean): void {
  const hits = seen?.present ?? 0;
  if (hits === 0) {
    known.run += possible;
    known.empty += seen?.empty ?? 0;
    return;
  }
  for (const [index, came] of (seen?.kinds ?? []).entries()) {
    if (!came) continue;
    const name = kinds[index] as Kind;
    const kind = known.kinds[name] ?? { n: 0 };
    if (kind.n === 0 && !isUsual(known, name)) begin(kind, known.n);
    known.kinds[name] = kind;
    grow(kind, came, hits);
  }
  known.of += possible + (isGone ? 0 : known.run);
  known.run = 0;
  known.empty = 0;
  grow(known, hits, possible);
  if (known.of <= remembered) return;
  known.of = Math.round(known.of / 2);
  known.n = Math.round(known.n / 2);
  for (const kind of Object.values(known.kinds)) kind.n = Math.ceil(kind.n / 2);
}

const isUsual = (known: Known, kind: Kind): boolean =>
  (Object.keys(known.kinds) as Kind[]).some((other) => isAlike(kind, other));

/** Many members that each come seldom: their names are data, such as the names of users. */
function isNamedByData(inside: ReadonlyMap<string, Known>, objects: number): boolean {
  if (inside.size <= manyMembers) return false;
  const seldom = [...inside.values()].filter(({ n }) => n < objects / 5).length;
  return seldom > inside.size * 0.75;
}

function judge(
  place: Known,
  path: string,
  report: (change: Change) => void,
  least = shortestOfWhole,
): void {
  const { n, of, run, empty } = place;
  if (run >= least && of >= fewest && n >= shortest && oddsOfMisses(n, of, run) < noChance) {
    const isEmpty = empty * 2 >= run;
    report({
      path: shown(path),
      change: isEmpty ? "emptied" : "gone",
      was: `${usualKind(place)} in ${percent(n, of)} of ${of} answers`,
      now: `${isEmpty ? "empty" : "absent"} in ${run} answers`,
    });
  }
  if (isNewAndFrequent(place)) {
    const now = `${usualKind(place)} in ${n} of ${place.since} answers`;
    report({ path: shown(path), change: "new", was: `absent in ${place.before} answers`, now });
  }
  const old = usualKind(place, ({ before }) => before === undefined);
  for (const [name, kind] of Object.entries(place.kinds)) {
    if (!isNewAndFrequent(kind)) continue;
    const now = `${name} in ${kind.n} of ${kind.since} answers`;
    report({ path: shown(path), change: "retyped", was: `${old} in ${kind.before} answers`, now });
  }
  // The members of an answer that is `{}` as a whole.
  const leastInside = path === "" && run > 0 ? shortestOfBare : shortest;
  for (const [name, child] of Object.entries(place.in ?? {}))
    judge(child, pathOf(path, name), report, leastInside);
}

function isNewAndFrequent({ n, before, since }: Seen): boolean {
  if (before === undefined || since === undefined || n < shortest || n * 2 < since) return false;
  return oddsOfHits(before, since, n) < noChance;
}

function usualKind(place: Known, isMeant: (kind: Seen) => boolean = () => true): string {
  const all = Object.entries(place.kinds).filter(([, kind]) => isMeant(kind));
  return all.toSorted(([, a], [, b]) => b.n - a.n)[0]?.[0] ?? "nothing";
}

const percent = (part: number, all: number): string => `${Math.round((100 * part) / all)} %`;
