import { isByLanguage, isDataName, kindOf, kinds } from "./kinds.ts";

/** Entries of a list that are looked at, spread over its length. */
const entriesRead = 20;
/** Members and entries of one answer that are looked at; what is beyond counts as not looked at, not as absent. */
const membersRead = 4000;
const deepest = 32;
const nameLength = 64;
/** Places of one window. */
const mostPlaces = 2000;

/** A list's entries, and the members that are named by data. */
export const entry = "[]";
export const anyName = "*";

/** Counts, in answers, of what came at one path during a window. */
export class Place {
  /** Answers with a value here, and with an empty one. */
  present = 0;
  empty = 0;
  /** Answers whose object or list here was looked into. */
  objects = 0;
  lists = 0;
  /** By the index of the kind. */
  readonly kinds: number[] = [];
  children: Map<string, Place> | undefined;
  /** Number of the answer that was counted last, so that each answer counts once. */
  #present = 0;
  #empty = 0;
  #object = 0;
  #list = 0;
  #kinds = 0;

  value(answer: number, kind: number): void {
    if (this.#present !== answer) {
      this.#present = answer;
      this.#kinds = 0;
      this.present += 1;
    }
    if ((this.#kinds & (1 << kind)) !== 0) return;
    this.#kinds |= 1 << kind;
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
  }

  nothing(answer: number): void {
    if (this.#empty === answer) return;
    this.#empty = answer;
    this.empty += 1;
  }

  object(answer: number): void {
    if (this.#object === answer) return;
    this.#object = answer;
    this.objects += 1;
  }

  list(answer: number): void {
    if (this.#list === answer) return;
    this.#list = answer;
    this.lists += 1;
  }
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The shapes of some answers, folded into one tree: paths, kinds and counts, never values. */
export class Window {
  readonly root = new Place();
  answers = 0;
  #places = 1;
  #left = 0;

  add(body: unknown): void {
    this.answers += 1;
    this.#left = membersRead;
    this.#walk(this.root, body, 0);
  }

  #walk(place: Place, value: unknown, depth: number): void {
    const kind = kindOf(value);
    if (kind === undefined) {
      place.nothing(this.answers);
      // An object that has lost its members lacks each of them.
      if (isEmptyObject(value)) place.object(this.answers);
      return;
    }
    place.value(this.answers, kinds.indexOf(kind));
    if ((kind !== "object" && kind !== "list") || depth === deepest || this.#left <= 0) return;
    if (kind === "list") {
      place.list(this.answers);
      const list = value as readonly unknown[];
      const count = Math.min(entriesRead, list.length);
      this.#left -= count;
      const inner = this.#child(place, entry);
      for (let index = 0; inner && index < count; index += 1)
        this.#walk(inner, list[Math.floor((index * list.length) / count)], depth + 1);
      return;
    }
    place.object(this.answers);
    const folded = isByLanguage(value as object);
    for (const [name, member] of Object.entries(value as object)) {
      this.#left -= 1;
      const inner = this.#child(place, folded ? anyName : name);
      if (inner) this.#walk(inner, member, depth + 1);
    }
  }

  #child(place: Place, given: string): Place | undefined {
    place.children ??= new Map();
    let found = place.children.get(given);
    if (found) return found;
    const name = given !== entry && isDataName(given) ? anyName : given.slice(0, nameLength);
    found = place.children.get(name);
    if (found || this.#places >= mostPlaces) return found;
    this.#places += 1;
    found = new Place();
    place.children.set(name, found);
    return found;
  }
}

/** Several places as one, for members that turned out to be named by data. */
export function together(places: readonly Place[]): Place {
  const one = new Place();
  const children = new Map<string, Place[]>();
  for (const place of places) {
    for (const name of ["present", "empty", "objects", "lists"] as const)
      one[name] = Math.max(one[name], place[name]);
    for (const [kind, count] of place.kinds.entries())
      if (count) one.kinds[kind] = Math.max(one.kinds[kind] ?? 0, count);
    for (const [name, child] of place.children ?? [])
      children.set(name, [...(children.get(name) ?? []), child]);
  }
  if (children.size > 0)
    one.children = new Map([...children].map(([name, all]) => [name, together(all)]));
  return one;
}
