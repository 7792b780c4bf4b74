import { z } from "zod";

/**
 * A choice among the sources that publish `what`; another source that is `known` is refused with those that do.
 * `kind` begins the description.
 */
export function publishingChoice<const Names extends readonly string[]>(
  kind: string,
  known: readonly string[],
  what: string,
  names: Names,
) {
  return z
    .enum(names, {
      error: ({ input }) =>
        typeof input === "string" && known.includes(input)
          ? `${input} publishes no ${what}; use one of ${names.join(", ")}`
          : undefined,
    })
    .describe(`${kind}; those with ${what}: ${names.join(", ")}`);
}
