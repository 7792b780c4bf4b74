import { text } from "#wire";

/** The day of a text such as 20140318, 2014-03-18 or 2014-03-18 20:06:44; other texts stay as they are. */
export function day(value: unknown): string | undefined {
  const given = text(value);
  const compact = given === undefined ? null : /^(\d{4})(\d{2})(\d{2})$/.exec(given);
  if (compact) return compact.slice(1).join("-");
  return given !== undefined && /^\d{4}-\d{2}-\d{2}[ T]/.test(given) ? given.slice(0, 10) : given;
}

/** A text without blanks around it; one of blanks only is absent. */
export const trimmed = (value: unknown): string | undefined => text(text(value)?.trim());

/** The word that stands for a code; undefined for other codes. */
export const wordOf = (words: Readonly<Record<string, string>>, value: unknown) => {
  const code = typeof value === "number" ? String(value) : text(value);
  return code !== undefined && Object.hasOwn(words, code) ? words[code] : undefined;
};
