/** Generated bodies: JSON of hostile shapes, whole or broken, the same ones for the same seed. */

/** Pseudo-random numbers in [0, 1) (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pick = <T>(random: () => number, list: readonly T[]): T =>
  list[Math.floor(random() * list.length)] as T;

const oddTexts = [
  "a",
  "",
  " ",
  "\\ud83d",
  "\\u0000",
  '\\"',
  "\\\\",
  "é",
  "😀",
  "a,b",
  "a.b",
  "%00",
  "https://a.test/",
  "2026-01-01",
  "(a+)+$",
  "__proto__",
  "constructor",
  "[0]",
  "Ａ",
  "\\u202e",
];
const oddNumbers = ["0", "-0", "1e999", "-1", "1.5", "9007199254740993", "1E-400"];

export class BodyGenerator {
  readonly #random: () => number;
  readonly #names: readonly string[];

  /** `names` are those that the door knows. */
  constructor(random: () => number, names: readonly string[]) {
    this.#random = random;
    this.#names = names;
  }

  /** About so many bytes. */
  next(bytes: number): string {
    const random = this.#random;
    const text = this.#value(bytes, Math.floor(random() * 40));
    const fate = random();
    if (fate < 0.1) return text.slice(0, Math.floor(random() * text.length));
    if (fate < 0.15) return text + pick(random, ["}", ",", ":".repeat(bytes), " ".repeat(bytes)]);
    if (fate < 0.2) return text.replace('":', `"${":".repeat(Math.floor(random() * 100))}`);
    return text;
  }

  #value(bytes: number, depth: number): string {
    const random = this.#random;
    if (bytes < 8 || depth <= 0) return this.#leaf(bytes);
    switch (Math.floor(random() * 6)) {
      case 0:
        return this.#leaf(bytes);
      case 1:
        return this.#list(bytes, depth, true);
      case 2:
        return this.#list(bytes, depth, false);
      default:
        return this.#object(bytes, depth);
    }
  }

  #leaf(bytes: number): string {
    const random = this.#random;
    switch (Math.floor(random() * 6)) {
      case 0:
        return pick(random, oddNumbers);
      case 1:
        return pick(random, ["true", "false", "null", "{}", "[]", "nul", "{ }"]);
      case 2:
        return `${1 + Math.floor(random() * 9)}`.repeat(Math.max(1, bytes));
      default: {
        const piece = pick(random, oddTexts);
        return `"${piece.repeat(Math.max(1, Math.floor(bytes / Math.max(1, piece.length))))}"`;
      }
    }
  }

  /** Equal members, as many as fit, or a few different ones. */
  #list(bytes: number, depth: number, areEqual: boolean): string {
    const random = this.#random;
    if (areEqual) {
      const piece = this.#value(Math.floor(random() * 60), depth - 1);
      return `[${`${piece},`.repeat(Math.max(1, Math.floor(bytes / (piece.length + 1)))).slice(0, -1)}]`;
    }
    const count = 1 + Math.floor(random() * 6);
    const members = Array.from({ length: count }, () => this.#value(bytes / count, depth - 1));
    return `[${members.join()}]`;
  }

  #object(bytes: number, depth: number): string {
    const random = this.#random;
    const isCrowd = random() < 0.3;
    const count = isCrowd ? Math.floor(bytes / 12) : 1 + Math.floor(random() * 6);
    const members: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const value = isCrowd ? "0" : this.#value(bytes / count, depth - 1);
      members.push(`"${this.#name(index, isCrowd)}":${value}`);
    }
    return `{${members.join()}}`;
  }

  #name(index: number, isCrowd: boolean): string {
    const random = this.#random;
    if (isCrowd) return `k${index}`;
    const fate = random();
    if (fate < 0.6 && this.#names.length > 0) return pick(random, this.#names);
    if (fate < 0.8) return pick(random, oddTexts);
    return pick(random, ["a", "é", "\\u0061"]).repeat(Math.floor(random() * 250));
  }
}

/** Sizes from 100 bytes to `most`, small ones more often. */
export const sizeOf = (random: () => number, most: number): number =>
  Math.floor(100 * (most / 100) ** random());
