import { Unreadable } from "./document.ts";

/** Text, parts of which may be links. */
export type Inline = readonly (string | { text: string; url: string })[];

/** Cells of one document; files can repeat a few of them millions of times. */
const mostCells = 2_000_000;

const plain = (inline: Inline) =>
  inline.map((one) => (typeof one === "string" ? one : one.text)).join("");

/** Marks what Markdown would read as its own signs. */
export function escaped(text: string): string {
  return text
    .replace(/[\\`*_[\]<>~]/g, "\\$&")
    .replace(/^(\s*)([#+-])(?=\s|$|#)/gm, "$1\\$2")
    .replace(/^(\s*\d{1,9})([.)])(?=\s|$)/gm, "$1\\$2")
    .replace(/^(\s*)([-=])(?=\2*\s*$)/gm, "$1\\$2");
}

const linkOf = ({ text, url }: { text: string; url: string }) =>
  /^(?:https?|mailto):[^\s<>]+$/i.test(url) ? `[${escaped(text)}](<${url}>)` : escaped(text);

const marked = (inline: Inline) =>
  inline.map((one) => (typeof one === "string" ? escaped(one) : linkOf(one))).join("");

const oneLine = (text: string) => text.replace(/\s*\n\s*/g, " ").trim();

/** Writes blocks as plain text and as GitHub-flavoured Markdown. */
export class Writer {
  readonly #text: string[] = [];
  readonly #markdown: string[] = [];
  #isInList = false;
  #cells = 0;

  heading(level: number, inline: Inline): void {
    const text = oneLine(plain(inline));
    if (text === "") return;
    const depth = Math.min(6, Math.max(1, level));
    this.#add(text, `${"#".repeat(depth)} ${oneLine(marked(inline))}`);
  }

  paragraph(inline: Inline): void {
    if (plain(inline).trim() === "") return;
    this.#add(
      plain(inline).trim(),
      marked(inline)
        .trim()
        .replace(/[ \t]+$/gm, ""),
    );
  }

  /** Text whose lines and spaces count; in an item of a list, `indent` has its lines begin below the item's text. */
  code(stated: string, indent?: string): void {
    const text = stated.replace(/\r\n?/g, "\n").replace(/^\n+/, "").trimEnd();
    if (text === "") return;
    const runs = text.match(/`{3,}/g) ?? [];
    const fence = runs.reduce(
      (longest, run) => (run.length < longest.length ? longest : `${run}\``),
      "```",
    );
    const block = `${fence}\n${text}\n${fence}`;
    this.#add(text, block.replace(/^(?=.)/gm, indent ?? ""), indent !== undefined);
  }

  item(depth: number, isOrdered: boolean, inline: Inline): void {
    const text = oneLine(plain(inline));
    if (text === "") return;
    const indent = (isOrdered ? "   " : "  ").repeat(Math.min(8, Math.max(0, depth)));
    const sign = isOrdered ? "1." : "-";
    this.#add(text, `${indent}${sign} ${oneLine(marked(inline))}`, true);
  }

  /** The first row becomes the header, because tables of Markdown have one. */
  table(rows: readonly (readonly Inline[])[]): void {
    const filled = rows.filter((row) => row.some((cell) => plain(cell).trim() !== ""));
    const width = filled.reduce((most, row) => Math.max(most, row.length), 0);
    if (width === 0) return;
    this.#cells += width * filled.length;
    if (this.#cells > mostCells) throw new Unreadable("tooLarge");
    const cell = (inline: Inline | undefined) =>
      oneLine(marked(inline ?? [])).replaceAll("|", "\\|");
    const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
    const lines = filled.map((row) =>
      line(Array.from({ length: width }, (_, at) => cell(row[at]))),
    );
    lines.splice(1, 0, line(Array.from({ length: width }, () => "---")));
    this.#add(
      filled.map((row) => row.map((one) => oneLine(plain(one))).join("\t")).join("\n"),
      lines.join("\n"),
    );
  }

  /** Returns what was written since the last call. */
  take(): { text: string; markdown: string } {
    const taken = {
      text: this.#text.splice(0).join("").trim(),
      markdown: this.#markdown.splice(0).join("").trim(),
    };
    this.#isInList = false;
    return taken;
  }

  #add(text: string, markdown: string, isItem = false): void {
    const gap = isItem && this.#isInList ? "\n" : "\n\n";
    this.#isInList = isItem;
    this.#text.push(gap, clean(text));
    this.#markdown.push(gap, clean(markdown));
  }
}

/** Control characters have no place in text; lone surrogates none in JSON. */
const clean = (text: string) => text.replace(/(?![\t\n])\p{Cc}/gu, "").toWellFormed();
