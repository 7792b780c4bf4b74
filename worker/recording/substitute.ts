import { createHmac } from "node:crypto";
import { isDataName } from "../drift/kinds.ts";
import { parseJson } from "../mapping/json.ts";

/** Words of addresses and markup that name nobody. */
const plain = new Set(["http", "https", "www", "com", "org", "net", "html", "json", "amp", "quot"]);

/** Dates with or without a time, the prefix of DOIs, tags' names, entities, and words: letters and digits in a row. */
const pieces =
  /(\d{4})-(\d\d)-(\d\d)(?:([T ])(\d\d):(\d\d)(?::(\d\d))?(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?)?|\b10\.(?=\d{4,9}\/)|<\/?[a-z][a-z\d]*|&\w+;|[\p{L}\p{N}\p{M}]+/gu;
/** Counts, ratings, prices and durations, which mappings read. */
const figure = /^[+-]?\d{1,4}(?:[.,]\d{1,2})?%?$|^\d{1,2}(?::\d\d){1,2}$/;
/** The form of dates that two networks use; their days name nobody. */
const wordedDate = /^[A-Z][a-z]{2},? (?:[A-Z][a-z]{2} \d\d?|\d\d? [A-Z][a-z]{2}) [\d:+ A-Z]{4,30}$/;
const longNumber = 10_000;

/**
 * Replaces personal values of an upstream's answer. Nobody can list where a provider writes of people, so every
 * text and long number is replaced, word by word and in its own form: capitals stay capitals, digits stay digits,
 * dates stay dates. The same word has the same substitute everywhere, so that ids and names still agree.
 */
export class Substitute {
  readonly #secret: string;
  /** Values that the gateway's own code names, such as the kinds of a result. */
  readonly #vocabulary: ReadonlySet<string>;
  readonly #known = new Map<string, Buffer>();

  constructor(secret: string, vocabulary: ReadonlySet<string>) {
    this.#secret = secret;
    this.#vocabulary = vocabulary;
  }

  value(value: unknown): unknown {
    if (typeof value === "string") return this.text(value);
    if (typeof value === "number") return this.#number(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.value(inner));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        isDataName(name) ? this.#words(name) : name,
        this.value(inner),
      ]),
    );
  }

  text(text: string): string {
    if (this.#vocabulary.has(text) || figure.test(text) || wordedDate.test(text)) return text;
    if (/^\s*[[{]/.test(text)) {
      const inner = parseJson(text);
      if (typeof inner === "object" && inner !== null) return JSON.stringify(this.value(inner));
    }
    return this.#words(text);
  }

  #words(text: string): string {
    // Words of the code inside an address or an id, such as its kind.
    const isOneWord = !/\s/.test(text);
    return text.replace(pieces, (piece, year?: string, ...parts: unknown[]) => {
      if (year !== undefined) return this.#date(piece, year, parts);
      if (piece.length < 2 || piece.startsWith("<") || piece.startsWith("&")) return piece;
      if (piece === "10.") return piece;
      if (plain.has(piece) || (isOneWord && this.#vocabulary.has(piece))) return piece;
      return this.#word(piece);
    });
  }

  /** Another day of the same month, and another time. */
  #date(piece: string, year: string, parts: readonly unknown[]): string {
    const [month, , between, hour, , second, zone = ""] = parts as (string | undefined)[];
    const bytes = this.#bytes(piece);
    const part = (index: number, most: number) =>
      String((bytes[index] as number) % most).padStart(2, "0");
    const day = String(((bytes[0] as number) % 28) + 1).padStart(2, "0");
    const date = `${year}-${month}-${day}`;
    if (hour === undefined) return date;
    const seconds = second === undefined ? "" : `:${part(3, 60)}`;
    return `${date}${between}${part(1, 24)}:${part(2, 60)}${seconds}${zone}`;
  }

  #number(value: number): number {
    const text = String(value);
    if (text.includes("e") || this.#vocabulary.has(text)) return value;
    const [whole = "", fraction = ""] = text.split(".");
    // The whole part of a coordinate stays, so that it is still one.
    const isLong = Math.abs(Math.trunc(value)) >= longNumber;
    const start = isLong ? this.#digits(whole) : whole;
    const end = fraction.length > 2 ? `.${this.#word(fraction)}` : fraction && `.${fraction}`;
    return Number(start + end);
  }

  /** Keeps sign, first digit and length, so that times stay times and safe integers safe. */
  #digits(whole: string): string {
    const sign = whole.startsWith("-") ? "-" : "";
    const digits = whole.slice(sign.length);
    return `${sign}${digits[0]}${this.#word(digits).slice(1)}`;
  }

  /** A word in the same form, the same for the same word in any case. */
  #word(word: string): string {
    const bytes = this.#bytes(word.toLowerCase());
    const letters = Array.from(word);
    const made = letters.map((letter, index) =>
      formed(letter, bytes[index % bytes.length] as number, index),
    );
    const substitute = made.join("");
    if (substitute !== word) return substitute;
    return letters.map((letter, index) => formed(letter, index + 1, index, 1)).join("");
  }

  #bytes(word: string): Buffer {
    const known = this.#known.get(word);
    if (known) return known;
    const made = createHmac("sha512", this.#secret).update(word).digest();
    if (this.#known.size < 100_000) this.#known.set(word, made);
    return made;
  }
}

function formed(letter: string, byte: number, index: number, least = 0): string {
  const code = letter.codePointAt(0) as number;
  const among = (first: number, count: number): string =>
    String.fromCodePoint(first + ((code - first + (byte % (count - 1)) + 1 + least) % count));
  if (letter >= "0" && letter <= "9") {
    // A number keeps its length.
    return index === 0 && letter !== "0" ? String(1 + (byte % 9)) : String(byte % 10);
  }
  if (letter >= "a" && letter <= "z") return among(97, 26);
  if (letter >= "A" && letter <= "Z") return among(65, 26);
  if (code >= 0x4e00 && code <= 0x9fff)
    return String.fromCodePoint(0x4e00 + ((code + byte * 31) % 5000));
  return letter === letter.toLowerCase()
    ? String.fromCodePoint(97 + (byte % 26))
    : String.fromCodePoint(65 + (byte % 26));
}
