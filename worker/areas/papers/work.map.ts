import { normalDoi, normalWorkId } from "../../../contract/areas/papers/ids.ts";
import { type Wire, array, count, defined, each, integer, object, text } from "#wire";
import { plain } from "../../mapping/markup.map.ts";

/** Code that the maps of all sources share. */

export const doiOf = (value: unknown): string | undefined => {
  const doi = normalDoi(text(value) ?? "");
  return /^10\.\d{4,9}(\.\d+)*\/\S/.test(doi) ? doi : undefined;
};

/** The DOI that arXiv registers for every article, where a source has only the article's id there. */
export const arxivDoiOf = (arxivId: string | undefined): string | undefined =>
  arxivId === undefined ? undefined : doiOf(normalWorkId(`arXiv:${arxivId}`));

/** A `?` or `#` of a DOI would begin the query or the fragment of its address. */
export const doiUrl = (doi: string) =>
  `https://doi.org/${encodeURI(doi).replace(/[?#]/g, encodeURIComponent)}`;

/** One kind of work has one name; a source's spelling in camel case becomes kebab case. */
export function kindOf(value: unknown): string | undefined {
  const kind = text(value)
    ?.replace(/([a-z])([A-Z])/g, "$1-$2")
    .replace(/[\s_]+/g, "-")
    .toLowerCase();
  return kind === undefined ? undefined : (sameKind[kind] ?? kind);
}

const sameKind: Readonly<Record<string, string>> = {
  "proceedings-article": "conference-paper",
  conference: "conference-paper",
  "data-set": "dataset",
  "dissertation-thesis": "dissertation",
  "book-section": "book-chapter",
};

/** Text of a value with markup, paragraphs kept apart. */
export function prose(value: unknown): string | undefined {
  const marked = text(value)
    ?.replace(/<(jats:)?title>\s*(abstract|summary)\s*<\/(jats:)?title>/gi, "")
    .replace(/<\/?(jats:)?(p|title|h\d)\b[^<>]*>/gi, "\n");
  if (marked === undefined) return undefined;
  const lines = plain(marked).split("\n");
  return text(
    lines
      .map((line) => line.replace(/\s+/g, " ").trim())
      .filter((line) => line !== "")
      .join("\n"),
  );
}

/** A title: one line without markup. */
export const titleOf = (value: unknown): string | undefined =>
  text(plain(text(value) ?? "").replace(/\s+/g, " "));

/** A language as its usual tag: `eng` and `en` are the same one. */
export function languageOf(value: unknown): string | undefined {
  const tag = text(value);
  return tag !== undefined && /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i.test(tag)
    ? canonical(tag)
    : undefined;
}

function canonical(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD` of numbers or digits; undefined without a year. */
export function dateOf(year: unknown, month?: unknown, day?: unknown): string | undefined {
  const parts = [integer(year), integer(month), integer(day)];
  const end = parts.findIndex((part) => part === undefined || part < 1);
  const known = end < 0 ? parts : parts.slice(0, end);
  return known.length === 0
    ? undefined
    : known.map((part, index) => String(part).padStart(index === 0 ? 4 : 2, "0")).join("-");
}

/** A date that a source gives as text, as far as it is one. */
export const dateText = (value: unknown): string | undefined =>
  /^\d{4}(-\d{2}(-\d{2})?)?/.exec(text(value) ?? "")?.[0];

export const yearOf = (date: string | undefined): number | undefined =>
  date === undefined ? undefined : count(date.slice(0, 4));

export const dates = (date: string | undefined) => ({
  publication_date: date,
  publication_year: yearOf(date),
});

export const textsOf = (value: unknown): string[] => each(value, text);

/** A list of which only values matter; absent where it has none. */
export const someTexts = (value: unknown): string[] | undefined => some(textsOf(value));

export const some = <T>(list: readonly T[]): T[] | undefined =>
  list.length > 0 ? [...list] : undefined;

/** A person from the parts of a name, or a group from the whole. */
export function personOf(
  whole: unknown,
  given: unknown,
  family: unknown,
  rest: { orcid?: string | undefined; affiliations?: string[] | undefined } = {},
) {
  const parts = { given_name: text(given), family_name: text(family) };
  const joined = [parts.given_name, parts.family_name].filter(Boolean).join(" ");
  const name = text(whole) ?? text(joined);
  return name === undefined ? undefined : defined({ name, ...parts, ...rest });
}

export const orcidsIn = (words: string): string[] =>
  words.match(/\d{4}-\d{4}-\d{4}-\d{3}[\dX]/g) ?? [];

export const orcidOf = (value: unknown): string | undefined => orcidsIn(text(value) ?? "")[0];

export const objectsOf = (value: unknown): Wire[] => each(array(value), object);
