import * as z from "zod";
import { filterExpression } from "../../filter.ts";

export const location = z
  .union([z.string().trim().min(2).max(120), z.int().positive()])
  .default("us")
  .describe(
    'ISO 3166-1 alpha-2 code, name, full name ("London,England,United Kingdom") or geo code (2000 + ISO numeric is a country)',
  );

export const language = z
  .string()
  .trim()
  .min(2)
  .max(80)
  .default("en")
  .describe("Language code or English name");

const fieldName = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/)
  .describe("Name of a field of the records");

export const orderBy = z
  .array(z.strictObject({ field: fieldName, dir: z.enum(["asc", "desc"]).default("desc") }))
  .min(1)
  .max(3)
  .optional()
  .describe("Order of the records, the first entry decides first");

/** One component for all lists: any field of the records can be filtered. */
const recordFilter = filterExpression({ id: "SeoFilterExpression" });
export const filters = recordFilter.optional();

export const view = z
  .enum(["summary", "full"])
  .default("full")
  .describe("How much of each record is returned");

/** `cursor`, `offset` and `limit` of a list; `mostOffset` is where the upstream ends. */
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

const day = (text: string) => new Date(`${text}T00:00:00Z`);

/** A day as YYYY-MM-DD, not before `earliest`. */
export function date(earliest: string, description: string) {
  return (
    z.iso
      .date()
      // What is no date has been refused already and is not compared.
      .refine((text) => !(day(text) < day(earliest)), { message: `must not be before ${earliest}` })
      .describe(`${description}, YYYY-MM-DD, not before ${earliest}`)
  );
}

const domainRule = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/;
const hostLength = 253;
const pageLength = 2048;

/** The host name in lower case and ASCII, or undefined where the text is none. */
export function asciiDomain(text: string): string | undefined {
  if (text.length > hostLength) return undefined;
  // Only names beyond ASCII are converted: the conversion would also read numbers as an address.
  const ascii = /^[\x21-\x7e]*$/.test(text) ? text.toLowerCase() : punycode(text);
  return ascii.length <= hostLength && domainRule.test(ascii) ? ascii : undefined;
}

/** ASCII form of an internationalised host name, "" where the text is more than a host. */
function punycode(text: string): string {
  return /[\s/?#@:\\%]/.test(text) ? "" : (URL.parse(`http://${text}`)?.hostname ?? "");
}

/** True for an absolute http(s) URL. */
export function isPage(text: string): boolean {
  return text.length <= pageLength && /^https?:\/\/[^\s@]+$/i.test(text) && URL.canParse(text);
}

/** "https://example.com/" becomes "example.com"; a URL of a page stays as it is. */
function bareHost(text: string): string {
  const scheme = /^https?:\/\//i.exec(text)?.[0].length ?? 0;
  const rest = text.slice(scheme, text.endsWith("/") ? -1 : undefined);
  return asciiDomain(rest) === undefined ? text : rest;
}

/** A domain or subdomain; a scheme and a trailing slash are dropped. */
export const domainTarget = z
  .string()
  .trim()
  .max(300)
  .overwrite(bareHost)
  .refine((text) => asciiDomain(text) !== undefined, { message: "must be a domain or subdomain" })
  .describe("Domain or subdomain; a scheme and a trailing slash are dropped");

/** Long addresses are ASCII, as they are on the wire; this keeps a thousand of them within a body. */
const addressRule = /^(?:[!-~]{1,2048}|\S{1,300})$/;

/** An address that `isFit` accepts. */
export function address(
  isFit: (text: string) => boolean,
  message: string,
  normalise: (text: string) => string = (text) => text,
) {
  return z
    .string()
    .trim()
    .max(pageLength)
    .overwrite(normalise)
    .regex(addressRule, { message, abort: true })
    .refine(isFit, { message });
}

/** A domain, a subdomain or the absolute URL of a page. */
export const pageTarget = address(
  (text) => asciiDomain(text) !== undefined || isPage(text),
  "must be a domain, a subdomain or an absolute http(s) URL",
  bareHost,
).describe("Domain, subdomain or absolute http(s) URL of a page");

/** Targets of a bulk call. */
export function bulkTargets(target: typeof domainTarget, most = 1000) {
  return z
    .array(target)
    .min(1)
    .max(most)
    .describe("Answered in this order; doubles are answered once, at their first place");
}

/** View of rows about a keyword. */
export const keywordView = z
  .enum(["summary", "standard", "full"])
  .default("standard")
  .describe("How much of each record is returned");

const oneKeyword = (most: number) => z.string().trim().min(1).max(most);

/** A keyword, in any case. */
export const keyword = oneKeyword(250).describe("Keyword; case does not count");

/** What is typed into a search box. */
export const searchText = oneKeyword(700).describe("Keyword, as it is searched for");

/** Keywords of one call; `length` and `words` are the upstream's bounds of each. */
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

/** What every answer tells about where and in which language was looked. */
export const localityFields = {
  location: z.string().describe("As it was asked for"),
  language: z.string().describe("As it was asked for"),
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

/** Billing of a paginated list: every record of `results`. */
export const listed = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { limit: number }) => input.limit,
} as const;

/** Billing of a call for many targets: every one that is answered. */
export const perTarget = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { targets: readonly unknown[] }) => input.targets.length,
} as const;

/** Billing of a call for many keywords: every one that is answered. */
export const perKeyword = {
  kind: "list",
  rows: (data: { results: readonly unknown[] }) => data.results,
  most: (input: { keywords: readonly unknown[] }) => input.keywords.length,
} as const;
