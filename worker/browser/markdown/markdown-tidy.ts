import type { Signs } from "./inline-html.ts";

/** Task list boxes in the normalised HTML: noncharacters, which are removed from a page's text. */
export const taskBoxes = { open: "\uFDD0", done: "\uFDD1" };

/** Marks in the normalised HTML, of the same kind. A sealed text is four hexadecimal digits a character. */
export const signs: Signs = {
  joiner: "\uFDD2",
  seal: { open: "\uFDD3", close: "\uFDD4" },
  emphasis: {
    bold: "\uFDD5",
    italic: "\uFDD6",
    strike: "\uFDD7",
    italicBesideBold: "\uFDD8",
  },
};

/** Restores task boxes, emphasis and sealed parts, and outside code fences removes surplus blank lines and trailing spaces. */
export function tidyMarkdown(markdown: string): string {
  const { joiner, seal, emphasis } = signs;
  const lines: string[] = [];
  let fence = "";
  let blank = true;
  for (const line of markdown.split("\n")) {
    const mark = /^[\s>]*(?:(?:[-*+]|\d+[.)])\s+)*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
    if (fence) {
      if (mark.startsWith(fence) && line.trim().replace(/^[>\s]+/, "") === mark) fence = "";
      lines.push(line);
      blank = false;
      continue;
    }
    if (mark) fence = mark;
    const empty = line.trim() === "";
    if (empty && blank) continue;
    blank = empty;
    lines.push(empty ? "" : line);
  }
  return lines
    .join("\n")
    .replace(new RegExp(`${taskBoxes.open} *`, "g"), "[ ] ")
    .replace(new RegExp(`${taskBoxes.done} *`, "g"), "[x] ")
    .replace(new RegExp(`${joiner} ?`, "g"), "")
    .replaceAll(emphasis.bold, "**")
    .replaceAll(emphasis.italic, "*")
    .replaceAll(emphasis.italicBesideBold, "_")
    .replaceAll(emphasis.strike, "~~")
    .replace(new RegExp(`${seal.open}([0-9a-f]*)${seal.close}`, "g"), (_, digits: string) =>
      digits.replace(/[0-9a-f]{4}/g, (code) => String.fromCharCode(Number.parseInt(code, 16))),
    )
    .trim();
}
