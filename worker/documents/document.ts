export const formats = ["pdf", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"] as const;
export type Format = (typeof formats)[number];

/** A page, sheet, slide or chapter, or the whole of a document without them. */
export interface Part {
  /** From 1. */
  number: number;
  title?: string | undefined;
  text: string;
  markdown: string;
}

export interface DocumentInfo {
  title?: string | undefined;
  authors?: string[] | undefined;
  language?: string | undefined;
  createdAt?: string | undefined;
  modifiedAt?: string | undefined;
}

export interface DocumentText extends DocumentInfo {
  format: Format;
  unit: "page" | "sheet" | "slide" | "chapter" | "document";
  /** Parts of the whole document. */
  count: number;
  parts: Part[];
  isCut: boolean;
}

/** The wanted stretch of parts. */
export interface Range {
  /** From 1. */
  first: number;
  most: number;
}

export interface DocumentTask extends Range {
  bytes: Uint8Array;
}

export const limits = {
  /** Characters of a document's text. */
  characters: 10_000_000,
  /** Time after which no further part is begun. */
  ms: 20_000,
};

export const problems = {
  other: "The file is no document of a known format",
  old: "The document is of a format before 2007 (doc, xls, ppt), which is not read",
  encrypted: "The document is encrypted: it cannot be read without its password",
  broken: "The document is broken",
  tooLarge: "The document unpacks to more than its limits",
} as const;

/** A known reason why a document cannot be read. */
export class Unreadable extends Error {
  readonly problem: keyof typeof problems;

  constructor(problem: keyof typeof problems) {
    super(problems[problem]);
    this.problem = problem;
  }
}

/** Collects parts up to the limits. */
export class Parts {
  readonly list: Part[] = [];
  isCut = false;
  readonly #range: Range;
  readonly #now: () => number;
  readonly #endsAt: number;
  #characters = 0;

  constructor(range: Range, now: () => number = () => performance.now()) {
    this.#range = range;
    this.#now = now;
    this.#endsAt = now() + limits.ms;
  }

  /** Whether the part with this number is requested and still within the limits. */
  takes(number: number): boolean {
    const { first, most } = this.#range;
    if (number < first || number >= first + most) return false;
    const isFull = this.#characters >= limits.characters;
    if (isFull || this.#now() > this.#endsAt) this.isCut = true;
    return !this.isCut;
  }

  add(part: Part): void {
    const room = limits.characters - this.#characters;
    this.#characters += part.text.length;
    if (part.text.length <= room) this.list.push(part);
    else {
      this.isCut = true;
      const cut = (value: string) => value.slice(0, Math.max(0, room));
      this.list.push({ ...part, text: cut(part.text), markdown: cut(part.markdown) });
    }
  }
}
