import type { Shape } from "../../runtime/probe.ts";

/** A finding in an answer: paths and figures, never values. */
export interface Finding {
  kind:
    | "lost"
    | "missing"
    | "emptied"
    | "dropped"
    | "few"
    | "cursor"
    | "repeats"
    | "slow"
    | "upstream_lacks"
    | "upstream_type"
    | "upstream_empty"
    | "upstream_new";
  /** Path of the member; those of `upstream_…` are of the upstream's answer. */
  path?: string | undefined;
  text: string;
}

const mostPaths = 40;

export const finding = (kind: Finding["kind"], path: string, text: string): Finding => ({
  kind,
  path,
  text: `${path} ${text}`,
});

const parentOf = (path: string): string => path.replace(/(\.[^.[\]]+|\[\])$/, "");

/** Members of the upstream's answer against those of the samples, where both have the place. */
export function wireFindings(
  live: Readonly<Record<string, Shape>>,
  samples: Readonly<Record<string, Shape>>,
): Finding[] {
  return Object.entries(live).flatMap(([upstream, shape]) => {
    const sample = samples[upstream];
    if (!sample) return [];
    const isNear = (path: string, other: Shape) =>
      parentOf(path) in other || parentOf(path) === path;
    const paths = Object.keys(shape);
    const lacks = Object.keys(sample).filter((path) => !(path in shape) && isNear(path, shape));
    const news = paths.filter((path) => !(path in sample) && isNear(path, sample));
    const types = paths.filter((path) => isOther(shape[path], sample[path]));
    const empties = paths.filter((path) => isEmptyOf(shape[path]) && !isEmptyOf(sample[path]));
    const filled = paths.filter(
      (path) => path in sample && isEmptyOf(sample[path]) && !isEmptyOf(shape[path]),
    );
    const told = (
      kind: Finding["kind"],
      found: readonly string[],
      words: (path: string) => string,
    ) => found.slice(0, mostPaths).map((path) => finding(kind, path, words(path)));
    return [
      ...told(
        "upstream_type",
        types,
        (path) => `of ${upstream} is ${shape[path]}, in the sample ${sample[path]}`,
      ),
      ...told("upstream_empty", empties, () => `of ${upstream} came empty everywhere`),
      ...told("upstream_lacks", lacks, () => `of ${upstream} did not come`),
      ...told("upstream_new", news, () => `of ${upstream} is not in the sample`),
      ...told(
        "upstream_new",
        filled,
        () => `of ${upstream} has a value, in the sample it has none`,
      ),
    ];
  });
}

const emptyTypes = /^(null|empty|empty\|null)$/;
const isEmptyOf = (types: string | undefined): boolean =>
  types === undefined || emptyTypes.test(types);

/** True where a member has a type that the sample's has not; an empty one fits every type. */
function isOther(one: string | undefined, other: string | undefined): boolean {
  if (isEmptyOf(one) || isEmptyOf(other)) return false;
  const known = new Set(other?.split("|"));
  if (known.has("digits")) known.add("number").add("string");
  if (known.has("number") || known.has("string")) known.add("digits");
  return (one ?? "").split("|").some((type) => !known.has(type) && !emptyTypes.test(type));
}
