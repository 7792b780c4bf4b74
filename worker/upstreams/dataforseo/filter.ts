import type { FilterCondition, FilterExpression } from "../../../contract/filter.ts";

/** A filter in DataForSEO's requests: `[field, op, value]` or `[member, "and", member, …]`. */
export type UpstreamFilter = readonly unknown[];

/**
 * Converts a filter expression to DataForSEO's form. `translate` maps a condition on our field to the
 * upstream's field; without it conditions are sent unchanged.
 */
export function upstreamFilter(
  expression: FilterExpression,
  translate: (condition: FilterCondition) => FilterCondition = (condition) => condition,
): UpstreamFilter {
  if ("and" in expression) return group("and", expression.and, translate);
  if ("or" in expression) return group("or", expression.or, translate);
  const { field, op, value } = translate(expression);
  return [field, op, value];
}

function group(
  word: "and" | "or",
  members: readonly FilterExpression[],
  translate: (condition: FilterCondition) => FilterCondition,
): UpstreamFilter {
  return members.flatMap((member, index) => {
    const translated = upstreamFilter(member, translate);
    return index === 0 ? [translated] : [word, translated];
  });
}
