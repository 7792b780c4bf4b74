import * as z from "zod";
import { id, page } from "../../fields.ts";

/**
 * Inputs that also accept the names of the platform's own interface. Aliases are replaced by the
 * canonical names, so that no code behind the contract sees them.
 */

const ignored = z
  .string()
  .max(2048)
  .optional()
  .describe("Accepted and ignored: everything is always returned");

const selections = {
  expansions: ignored,
  "tweet.fields": ignored,
  "post.fields": ignored,
  "user.fields": ignored,
  "media.fields": ignored,
  "poll.fields": ignored,
  "place.fields": ignored,
  "list.fields": ignored,
  "community.fields": ignored,
  "trend.fields": ignored,
};

const onlyOne = "Accepted and ignored: there is one page";

/** Parameters of pages where there is one page. */
export const onlyPage = {
  max_results: z.int().min(1).max(100).optional().describe(onlyOne),
  pagination_token: z.string().max(8192).optional().describe(onlyOne),
  next_token: z.string().max(8192).optional().describe(onlyOne),
};

/** Canonical name -> alias. */
const spellings = { q: "query", limit: "max_results" };
type Spellings = Readonly<Record<string, string>>;

/** The strict input of an operation; `check` receives the finished input, `own` holds the operation's own aliases. */
export function input<S extends z.ZodRawShape>(
  shape: S,
  check?: (given: Readonly<Record<string, unknown>>, fault: Fault) => void,
  own: Spellings = {},
): z.ZodObject<S, z.core.$strict> {
  const both: [canonical: string, alias: string][] = [];
  const accepted: Record<string, z.ZodType> = { ...(shape as object) };
  const known = [...Object.entries(spellings), ...Object.entries(own)];
  for (const [canonical, alias] of known) {
    const field = accepted[canonical];
    if (!field) continue;
    const bare = field instanceof z.ZodDefault ? (field.unwrap() as z.ZodType) : field;
    const wins = field instanceof z.ZodDefault ? ", which it overrides" : "";
    accepted[alias] = bare.optional().describe(`Another spelling of \`${canonical}\`${wins}`);
    if (canonical === "q") accepted.q = bare.optional().describe(`${bare.description}; required`);
    if (!wins) both.push([canonical, alias]);
  }
  const schema = z
    .strictObject({ ...accepted, ...selections })
    .check((context) => {
      const given = context.value as Readonly<Record<string, unknown>>;
      const fault: Fault = (path, message) =>
        context.issues.push({ code: "custom", path: [path], message, input: given[path] });
      for (const [canonical, alias] of both) {
        if (given[canonical] !== undefined && given[alias] !== undefined) {
          fault(alias, `is given beside ${canonical}`);
        }
      }
      if (shape.q && given.q === undefined && given.query === undefined) {
        const message = "Invalid input: expected string, received undefined";
        context.issues.push({
          code: "invalid_type",
          expected: "string",
          path: ["q"],
          message,
          input: undefined,
        });
      }
      check?.(given, fault);
    })
    .overwrite((given) => folded(given, known));
  return schema as unknown as z.ZodObject<S, z.core.$strict>;
}

type Fault = (path: string, message: string) => void;

function folded<T extends object>(given: T, known: readonly [string, string][]): T {
  const aliases = new Set(known.map(([, alias]) => alias));
  const kept = Object.entries(given).filter(
    ([name]) => !Object.hasOwn(selections, name) && !aliases.has(name),
  );
  const result: Record<string, unknown> = Object.fromEntries(kept);
  for (const [canonical, alias] of known) {
    const value = (given as Record<string, unknown>)[alias];
    if (value !== undefined) result[canonical] = value;
  }
  return result as T;
}

const number = /^[0-9]{1,19}$/;
const digits = "a number of 1 to 19 digits";
const handle = /^[A-Za-z0-9_]{1,15}$/;
const letters = "1 to 15 letters, digits or `_`, with or without a leading `@`";
const trimmed = (given: string) => given.trim();
const withoutAt = (given: string) => given.trim().replace(/^@/, "");

/** Ids of posts, users, lists and communities are digits. */
export const idOf = (thing: string) => id(number, `Id of the ${thing}`, digits);
export const username = id(handle, "Handle", letters, withoutAt);
/** Where On Earth id, at most 2^31 - 1. */
export const woeid = id(
  /^(?:[1-9]\d{0,8}|1\d{9}|20\d{8}|21[0-3]\d{7}|214[0-6]\d{6}|2147[0-3]\d{5}|21474[0-7]\d{4}|214748[0-2]\d{3}|2147483[0-5]\d{2}|21474836[0-3]\d|214748364[0-7])$/,
  "Where On Earth id of the place; 1 is the whole world",
  "a number from 1 to 2147483647",
);

/** Up to 100 items without duplicates, in the order first given. */
function several<T extends z.ZodType<string>>(one: T, description: string) {
  return z
    .array(one)
    .min(1)
    .max(100)
    .check((context) => {
      context.value.forEach((item, index) => {
        // A malformed identifier is `invalid_id`; an empty text is no identifier at all.
        if (item === "") {
          const known = context.issues.findIndex((issue) => issue.path?.[0] === index);
          context.issues.splice(known, known < 0 ? 0 : 1, {
            code: "custom",
            path: [index],
            message: "is empty",
            input: item,
          });
        }
      });
    })
    .overwrite((items) => {
      const first = new Map<string, (typeof items)[number]>();
      for (const item of items) {
        const key = item.toLowerCase();
        if (!first.has(key)) first.set(key, item);
      }
      return [...first.values()];
    })
    .describe(description);
}

export const ids = (things: string) =>
  several(id(number, "Id", digits, trimmed), `Up to 100 ids of ${things}, separated by commas`);
export const usernames = several(
  id(handle, "Handle", letters, withoutAt),
  "Up to 100 handles, separated by commas",
);

export const language = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,4})?$/)
  .default("en")
  .describe("Language to translate into");

export const paging = page({ most: 100, default: 20 });

/** A list that costs one credit a row. */
export const rows = {
  kind: "list" as const,
  rows: (data: readonly unknown[]) => data,
  most: (given: { limit: number }) => given.limit,
};
export const pages = { paginated: true, records: rows };
export const one = { records: { kind: "one" as const } };
