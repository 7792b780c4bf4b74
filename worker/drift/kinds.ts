/** Kinds of values and of answers. The place of a kind in this list is its bit in a window. */
export const kinds = [
  "text",
  "digits",
  "number",
  "boolean",
  "object",
  "list",
  "web page",
  "login page",
  "half answer",
  "no JSON",
  "redirect",
] as const;

export type Kind = (typeof kinds)[number];

/** A kind of answer that is no JSON. */
export class NotJson {
  readonly kind: Kind;

  constructor(kind: Kind) {
    this.kind = kind;
  }
}

/** The JSON reader turns integers beyond 2^53 into texts of digits, so an id may be a number in one answer and a text in the next. */
const longDigits = /^-?\d{16,}$/;

/** Undefined for a value that says nothing: null, an empty text, list or object. */
export function kindOf(value: unknown): Kind | undefined {
  switch (typeof value) {
    case "string":
      if (value === "") return undefined;
      return value.length >= 16 && value.length < 40 && longDigits.test(value) ? "digits" : "text";
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "object":
      if (value === null) return undefined;
      if (Array.isArray(value)) return value.length === 0 ? undefined : "list";
      if (value instanceof NotJson) return value.kind;
      for (const _ in value) return "object";
      return undefined;
    default:
      return undefined;
  }
}

/** True where a place that had values of `known` may have one of `kind` without a change of the upstream. */
export const isAlike = (kind: Kind, known: Kind): boolean =>
  kind === known ||
  (kind === "digits" && (known === "text" || known === "number")) ||
  (known === "digits" && (kind === "text" || kind === "number"));

const markedUp = /^\s*<(?:!doctype\s+html|html|head|body|script)\b/i;
const passwordField = /<input\b[^>]{0,300}\btype\s*=\s*["']?password/i;
/** Enough of a page to recognise it. */
const readBytes = 64 * 1024;

/** The kind of a body that is no JSON. */
export function kindOfText(bytes: Buffer, contentType: string): NotJson {
  const text = bytes.subarray(0, readBytes).toString("latin1");
  if (markedUp.test(text) || /\bhtml\b/i.test(contentType)) {
    return new NotJson(passwordField.test(text) ? "login page" : "web page");
  }
  return new NotJson(
    /\bjson\b/i.test(contentType) || /^\s*[[{]/.test(text) ? "half answer" : "no JSON",
  );
}

/** Names of members that are data: numbers, dates, versions, ids, addresses, paths, locales. */
const dataNames = [
  /^\d+$/,
  /^\d{4}-\d\d(-\d\d|$)/,
  /^v?\d+(\.\w+)+/,
  /^[A-Z]{1,3}\d+$/,
  /\d{6}/,
  /^[\da-f]{16,}$/i,
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i,
  /[\s/]|.@/,
  /^[a-z]{2,3}[-_]([A-Z]{2}|[A-Z][a-z]{3})\b/,
  // Ids in base 64: capitals, small letters and several groups of digits.
  /^(?=.*[A-Z])(?=.*[a-z])(?=(?:\D*\d+\D+){2}\D*\d)[\w-]{11,}$/,
];

/** True for the name of a member that is data rather than the name of a field. */
export const isDataName = (name: string): boolean => dataNames.some((rule) => rule.test(name));

const languages = new Intl.DisplayNames("en", { type: "language", fallback: "none" });
const known = new Map<string, boolean>();

function isLanguage(name: string): boolean {
  if (!/^[a-z]{2,3}$/.test(name)) return false;
  const found = known.get(name);
  if (found !== undefined) return found;
  const is = languages.of(name) !== undefined;
  // Words of three letters are too many to keep all.
  if (known.size < 2000) known.set(name, is);
  return is;
}

/** True for an object of at least two members that are all named by a language and hold the same kind of value. */
export function isByLanguage(value: object): boolean {
  let kind: Kind | undefined;
  let count = 0;
  for (const [name, inner] of Object.entries(value)) {
    if (!isLanguage(name)) return false;
    const own = kindOf(inner);
    if (count > 0 && own !== kind) return false;
    kind = own;
    count += 1;
  }
  return count > 1;
}
