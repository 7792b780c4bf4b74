import { isByLanguage, isDataName, kindOf, NotJson } from "../../worker/drift/kinds.ts";
import type { Choices } from "../random.ts";

/** A change of an upstream's answers, and the path by which it must be named. */
export interface Changed {
  kind: string;
  path: string;
  apply(answer: unknown): unknown;
}

type Json = Record<string, unknown>;
type Edit = (holder: Json, name: string, root: Json) => void;

function retyped(value: unknown): unknown {
  if (typeof value === "number") return `about ${value}`;
  if (typeof value === "string") return { text: value };
  if (typeof value === "boolean") return value ? "yes" : "no";
  return Array.isArray(value) ? { first: value[0] } : JSON.stringify(value);
}

function emptied(value: unknown): unknown {
  if (typeof value === "string") return "";
  return Array.isArray(value) ? [] : null;
}

/** Changes of one field, wherever it stands. */
const edits: Record<string, Edit> = {
  renamed: (holder, name) => move(holder, name, holder, `${name}_v2`),
  moved: (holder, name, root) => move(holder, name, root, `other_${name}`),
  retyped: (holder, name) => (holder[name] = retyped(holder[name])),
  nested: (holder, name) => (holder[name] = { value: holder[name], unit: 1 }),
  emptied: (holder, name) => (holder[name] = emptied(holder[name])),
  removed: (holder, name) => delete holder[name],
  // Another way of paging: the members move into an object of their own.
  paginated: (holder, name, root) => {
    root["next_page"] = { ...(root["next_page"] as object), [`${name}_2`]: holder[name] };
    delete holder[name];
  },
};

/** Members that say where a list goes on. */
const paging =
  /cursor|next|has_?more|^page|offset|token|max_id|min_id|since_id|more$|^after$|^links?$/i;

function move(from: Json, name: string, to: Json, other: string): void {
  to[other] = from[name];
  delete from[name];
}

/** Changes of the whole answer. */
const replaced: Record<string, (answer: unknown) => unknown> = {
  "a page with 200": () => new NotJson("web page"),
  "a login page": () => new NotJson("login page"),
  "half an answer": () => new NotJson("half answer"),
  "a list around it": (answer) => [answer],
};

/** Kinds of changes that leave nothing of the answer as it was. */
export const wholeChanges: readonly string[] = Object.keys(replaced);

/** Paths of the fields with a value, outermost first. */
function fieldsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((inner) => fieldsOf(inner, [...path, "[]"]));
  // Of members named by a language no single one is known.
  if (isByLanguage(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (kindOf(inner) === undefined || isDataName(name)) return [];
    return [[...path, name], ...fieldsOf(inner, [...path, name])];
  });
}

const textOf = (steps: readonly string[]): string =>
  steps
    .join(".")
    .replaceAll(".[]", "[]")
    .replace(/^\[\]\./, "[].");

function edit(
  here: unknown,
  steps: readonly string[],
  change: (holder: Json, name: string) => void,
): void {
  const [step, ...rest] = steps;
  if (step === "[]") {
    for (const inner of Array.isArray(here) ? (here as unknown[]) : []) edit(inner, rest, change);
    return;
  }
  if (typeof here !== "object" || here === null || Array.isArray(here) || step === undefined)
    return;
  const holder = here as Json;
  if (rest.length > 0) edit(holder[step], rest, change);
  else if (kindOf(holder[step]) !== undefined) change(holder, step);
}

/** A list around a list leaves its outer lists as they were: their innermost entries are of another type. */
function wholePath(kind: string, usual: unknown): string {
  let path = "";
  if (kind === "a list around it")
    for (let inner = usual; Array.isArray(inner); inner = inner[0] as unknown) path += "[]";
  return path === "" ? "(answer)" : path;
}

/** The changes of one kind that are possible in this answer; `turn` chooses the kind. */
export function changesIn(usual: unknown, turn: number): Changed[] {
  const names = [...Object.keys(edits), ...Object.keys(replaced)];
  const kind = names[turn % names.length] as string;
  const whole = replaced[kind];
  if (whole) return [{ kind, path: wholePath(kind, usual), apply: whole }];
  const fields = fieldsOf(usual).filter(
    (steps) => kind !== "paginated" || paging.test(steps.at(-1) ?? ""),
  );
  return fields.map((steps) => ({
    kind,
    path: textOf(steps),
    apply(answer) {
      const root = structuredClone(answer);
      edit(root, steps, (holder, name) => edits[kind]?.(holder, name, root as Json));
      return root;
    },
  }));
}

/** True for a finding at the changed field. Of an object that was put into another, the members are named. */
export const isNamed = ({ path }: Changed, found: string): boolean =>
  found === path || (path !== "(answer)" && found.startsWith(`${path}.`));

export const changeOf = (changes: readonly Changed[], choose: Choices): Changed | undefined =>
  changes[choose(Math.max(1, changes.length))];
