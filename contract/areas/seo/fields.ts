import * as z from "zod";
import { day } from "../../fields.ts";
import { filterExpression } from "../../filter.ts";
import { domainTarget } from "../../target.ts";

/** One component for all lists: any field of the records can be filtered. */
const recordFilter = filterExpression({ id: "SeoFilterExpression" });
export const filters = recordFilter.optional();

/** `cursor`, `offset` and `limit` of a list; `mostOffset` is the upstream's largest offset. */
export function paging(options: { mostOffset?: number } = {}) {
  return {
    cursor: z
      .string()
      .min(1)
      .max(8192)
      .optional()
      .describe(
        "`pagination.next_cursor` of the previous page; every other parameter but `limit` and `offset` must stay the same",
      ),
    offset: z
      .int()
      .min(0)
      .max(options.mostOffset ?? 1_000_000)
      .optional()
      .describe("Records to skip, where there is no cursor yet"),
    limit: z.int().min(1).max(1000).default(100).describe("Most records to return"),
  };
}

interface Placed {
  cursor?: string | undefined;
  offset?: number | undefined;
}

/** Input of a list; `offset` and `cursor` exclude each other. */
export function listInput<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape).refine(
    (input) => {
      const { cursor, offset } = input as Placed;
      return cursor === undefined || offset === undefined;
    },
    { path: ["offset"], message: "must not be given beside cursor" },
  );
}

const dayMs = 86_400_000;

/** A day of a request, at most a given number of days back. */
export function recentDay(description: string, earliest: string, mostDays: number) {
  return day(`${description}, at most ${mostDays} days ago`, earliest).superRefine(
    (text, context) => {
      const [first, last] = [Date.now() - mostDays * dayMs, Date.now() + dayMs].map((at) =>
        new Date(at).toISOString().slice(0, 10),
      ) as [string, string];
      if (first <= text && text <= last) return;
      context.addIssue({ code: "custom", message: `must be a day from ${first} to ${last}` });
    },
  );
}

/** Targets of a bulk call. */
export function bulkTargets(target: typeof domainTarget, most = 1000) {
  return z
    .array(target)
    .min(1)
    .max(most)
    .describe("The results follow this order; duplicates appear once, at their first position");
}

/** View of rows about a keyword. */
export const keywordView = z
  .enum(["summary", "standard", "full"])
  .default("standard")
  .describe("How much of each record is returned");

const oneKeyword = (most: number) => z.string().trim().min(1).max(most);

/** A keyword, in any case. */
export const keyword = oneKeyword(250).describe("Keyword; case does not count");

/** Text of a search box. */
export const searchText = oneKeyword(700).describe("Keyword, as it is searched for");

/** Keywords of one call; `length` and `words` are the upstream's bounds for each keyword. */
export function keywords(most: number, bounds: { length: number; words?: number }) {
  const { length, words } = bounds;
  return z
    .array(
      oneKeyword(length).refine(
        (text) => words === undefined || text.split(/\s+/).length <= words,
        { message: `must not have more than ${words} words` },
      ),
    )
    .min(1)
    .max(most)
    .describe("Answered in this order; doubles, in any case, are answered once");
}

/** Location and language of the search, in every answer. */
export const localityFields = {
  location: z.string().describe("As requested"),
  language: z.string().describe("As requested"),
};

export const inOrder = {
  path: ["date_to"],
  message: "must not be before date_from",
};

/** True where a period does not end before it begins. */
export function isInOrder(input: {
  date_from?: string | undefined;
  date_to?: string | undefined;
}): boolean {
  const { date_from: from, date_to: to } = input;
  return from === undefined || to === undefined || from <= to;
}

/** Billing of a call for many targets: every answered target. */
export const perTarget = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { targets: readonly unknown[] }) => input.targets.length,
} as const;

/** Billing of a call for many keywords: every answered keyword. */
export const perKeyword = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { keywords: readonly unknown[] }) => input.keywords.length,
} as const;
