import { defined } from "#wire";
import { eventOf, recipeOf } from "./occasions.map.ts";
import { breadcrumbOf, articleOf, reviewOf } from "./publications.map.ts";
import { jobPostingOf, organisationOf, productOf } from "./commerce.map.ts";
import type { Extracted, Placed } from "./placed.map.ts";
import { recordTypes } from "./record-types.map.ts";
import type { Thing } from "./things.map.ts";

type Lists = Pick<
  Extracted,
  | "products"
  | "articles"
  | "job_postings"
  | "recipes"
  | "events"
  | "organisations"
  | "reviews"
  | "breadcrumbs"
>;

type Reader<Name extends keyof Lists> = (placed: Placed) => Lists[Name][number] | undefined;

const readers: { [Name in keyof Lists]: Reader<Name> } = {
  products: productOf,
  articles: articleOf,
  job_postings: jobPostingOf,
  recipes: recipeOf,
  events: eventOf,
  organisations: organisationOf,
  reviews: reviewOf,
  breadcrumbs: breadcrumbOf,
};

const kinds = Object.entries(readers).map(([key, read]) => {
  const name = key as keyof Lists;
  return { name, types: new Set<string>(recordTypes[name].split(" ")), read };
});

const mostOfAKind = 200;
const mostDepth = 10;
const mostVisits = 50_000;
/** Records can repeat a text of the page, so their sum has a limit of its own. */
const mostCharacters = 4_000_000;

/** Every thing that stands inside others, with its place; an organisation counts only where it stands by itself. */
function* placed(things: readonly Thing[], base: string): Generator<Placed> {
  const pending: (Placed & { depth: number })[] = things
    .toReversed()
    .map((thing) => ({ thing, parent: undefined, role: undefined, base, depth: 0 }));
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { thing, depth } = next;
    yield next;
    if (depth === mostDepth) continue;
    const inside = [...thing.properties].flatMap(([role, values]) =>
      values
        .filter((value) => typeof value === "object")
        .map((value) => ({ thing: value, parent: thing, role, base, depth: depth + 1 })),
    );
    pending.push(...inside.reverse());
  }
}

/** Sorts the page's things into records. `isCut` is true where a kind has more records than are returned. */
export function recordsOf(things: readonly Thing[], base: string): Lists & { isCut: boolean } {
  let isCut = false;
  const seen = new Set<string>();
  const lists = Object.fromEntries(
    Object.keys(readers).map((name) => [name, [] as unknown[]]),
  ) as unknown as Lists;
  let visits = 0;
  let characters = 0;
  for (const one of placed(things, base)) {
    visits += 1;
    if (visits > mostVisits) return { ...lists, isCut: true };
    for (const { name, types, read } of kinds) {
      if (!one.thing.types.some((type) => types.has(type))) continue;
      if (name === "organisations" && one.role !== undefined) continue;
      const record = read(one);
      if (!record) continue;
      const kept = defined(record);
      const key = `${name} ${JSON.stringify(kept)}`;
      characters += key.length;
      if (characters > mostCharacters) return { ...lists, isCut: true };
      if (seen.has(key)) continue;
      if (lists[name].length === mostOfAKind) {
        isCut = true;
        continue;
      }
      seen.add(key);
      (lists[name] as unknown[]).push(kept);
    }
  }
  return { ...lists, isCut };
}
