import type { FilterCondition, FilterExpression } from "../../../contract/filter.ts";

/** The form of a filter in DataForSEO's requests: `[field, op, value]` or `[member, "and", member, …]`. */
export type UpstreamFilter = readonly unknown[];

/**
 * A filter expression as DataForSEO takes it. `translate` turns a condition on our field into one on
 * the upstream's; without it conditions are sent as they are.
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
