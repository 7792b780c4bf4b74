import * as z from "zod";

/** Schemas of identifiers: a value that breaks one is `invalid_id`, not `validation_error`. */
const identifiers = z.registry<{ normalised: boolean }>();

/** The registry's `get` follows a schema that was described once more to its first form; `has` does not. */
export function isIdentifier(schema: z.core.$ZodType): boolean {
  return identifiers.get(schema) !== undefined;
}

/** True when the rule checks the normalised value; the caller's own text may break it. */
export function isNormalised(schema: z.core.$ZodType): boolean {
  return identifiers.get(schema)?.normalised === true;
}

/**
 * Refused in every identifier, since identifiers become parts of URLs: separators, percent escapes,
 * control and bidirectional characters, and names of dots only, which would leave the folder.
 */
const neverInIds =
  /[/\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]|%[0-9a-f]{2}|^\.+$/iu;

/** The same for identifiers with slashes, such as a DOI: a name of dots only is refused in every part. */
const neverInSlashedIds =
  /[\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}]|%[0-9a-f]{2}|(^|\/)\.+(\/|$)/iu;

/**
 * An identifier of `thing` with a format rule; `form` words the rule for error messages and docs.
 * `normalise` runs before the rule (it drops a leading "@", for example). With `slashes` the identifier is no
 * part of a path here, and handlers encode it upstream. The rule must run in linear
 * time; longer values than 2,048 characters are refused before it.
 */
export function id(
  rule: RegExp,
  thing: string,
  form: string,
  normalise?: (text: string) => string,
  options: { slashes?: boolean } = {},
) {
  const never = options.slashes ? neverInSlashedIds : neverInIds;
  const text = z.string().max(2048, { abort: true });
  const prepared = normalise ? text.overwrite(normalise) : text;
  const message = `must be ${form}`;
  return prepared
    .regex(rule, { message })
    .check((context) => {
      if (context.issues.length > 0 || !never.test(context.value)) return;
      const { value: input } = context;
      context.issues.push({ code: "invalid_format", format: "id", message, input, continue: true });
    })
    .describe(`${thing}: ${form}`)
    .register(identifiers, { normalised: normalise !== undefined });
}

/** Text typed by a person, trimmed, counted in code points. */
export function text(minimum: number, maximum: number, description: string) {
  return z.string().trim().min(minimum).max(maximum).describe(description);
}

/** A whole number that stays exact in JSON. */
export function integer(description: string) {
  return z.int().describe(description);
}

export function count(description: string) {
  return z.int().min(0).describe(description);
}

export function unixSeconds(description: string) {
  return z.int().describe(`${description}, in unix seconds`);
}

/** Days outside this range are typing errors, and break the database or an upstream. */
const firstDay = "2000-01-01";
const lastDay = "2099-12-31";

/** A day of a request, as YYYY-MM-DD. */
export function day(description: string, earliest = firstDay) {
  const range = `from ${earliest} to ${lastDay}`;
  const message = `must be a day ${range}, YYYY-MM-DD`;
  return z.iso
    .date({ message, abort: true })
    .refine((text) => earliest <= text && text <= lastDay, { message })
    .describe(`${description}, YYYY-MM-DD ${range}`);
}

/** A moment of a request. */
export function unixTime(description: string) {
  const [first, last] = [`${firstDay}T00:00:00Z`, `${lastDay}T23:59:59Z`].map(
    (text) => Date.parse(text) / 1000,
  ) as [number, number];
  const message = `must be unix seconds from ${first} (${firstDay}) to ${last} (${lastDay}); milliseconds are not taken`;
  return unixSeconds(description).min(first, { message }).max(last, { message });
}

/** `cursor` and `limit` of a paginated list. */
export function page(options: { most: number; default: number }) {
  return {
    cursor: z
      .string()
      .min(1)
      .max(8192)
      .optional()
      .describe(
        "`pagination.next_cursor` of the previous page; every other parameter must stay the same",
      ),
    limit: z
      .int()
      .min(1)
      .max(options.most)
      .default(options.default)
      .describe("Most records to return"),
  };
}

/** Billing of a paginated list whose `data` is the array itself. */
export const perPage = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: (input: { limit: number }) => input.limit,
} as const;
