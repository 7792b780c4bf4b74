/** Task list boxes in the normalised HTML: noncharacters, which are removed from a page's text. */
export const taskBoxes = { open: "\uFDD0", done: "\uFDD1" };

/** Stands where a link or image follows a word without a space. */
export const joiner = "\uFDD2";

/** Stand around text that is Markdown already, written as four hexadecimal digits a character. */
export const seal = { open: "\uFDD3", close: "\uFDD4" };

/** Restores task boxes and sealed parts, and outside code fences removes surplus blank lines and trailing spaces. */
export function tidyMarkdown(markdown: string): string {
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
    .replace(new RegExp(`${seal.open}([0-9a-f]*)${seal.close}`, "g"), (_, digits: string) =>
      digits.replace(/[0-9a-f]{4}/g, (code) => String.fromCharCode(Number.parseInt(code, 16))),
    )
    .trim();
}
