import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./imports.ts";

/** A shell command of a document, which may span several lines. */
export interface Command {
  file: string;
  line: number;
  text: string;
}

const skipped = new Set(["node_modules", ".git", ".data", "dist"]);

/** Markdown written by people; sample pages hold the expected Markdown of a page. */
export const documents: readonly string[] = globSync("**/*.md", {
  cwd: root,
  exclude: (name) => skipped.has(name),
})
  .filter((file) => !file.startsWith("test/pages/"))
  .sort();

export const readDocument = (file: string): string => readFileSync(join(root, file), "utf8");

const fence = /^( *)```(\w*)[^\n]*\n([\s\S]*?)^\1```/gm;
const shells = new Set(["sh", "bash", "shell", "console"]);
const programs = /^(?:npm|npx|node|curl|docker|kubectl|git|cp|export|cd)\b/;

/** Every command of a document's shell blocks. A block without a language counts when a program begins it. */
export function commandsOf(file: string, markdown: string): Command[] {
  return [...markdown.matchAll(fence)].flatMap((found) => {
    const [, indent = "", language = "", body = ""] = found;
    if (!(shells.has(language) || (language === "" && programs.test(body.trimStart())))) return [];
    const first = markdown.slice(0, found.index).split("\n").length + 1;
    const lines = body.split("\n").map((line) => line.slice(indent.length));
    return splitCommands(lines).map(({ at, text }) => ({ file, line: first + at, text }));
  });
}

/** Joins lines until quotes are closed, a here-document has ended and no backslash continues the line. */
function splitCommands(lines: readonly string[]): { at: number; text: string }[] {
  const found: { at: number; text: string }[] = [];
  let open: { at: number; text: string } | undefined;
  for (const [at, line] of lines.entries()) {
    if (open) open.text += `\n${line}`;
    else if (/^\s*(?:#|$)/.test(line)) continue;
    else open = { at, text: line };
    if (!isComplete(open.text)) continue;
    found.push(open);
    open = undefined;
  }
  if (open) found.push(open);
  return found;
}

function isComplete(text: string): boolean {
  const [, tag] = /<<-?\s*['"]?(\w+)['"]?/.exec(text) ?? [];
  if (tag !== undefined) return text.split("\n").at(-1)?.trim() === tag;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === "\\" && quote !== "'") at += 1;
    else if (quote !== "") quote = char === quote ? "" : quote;
    else if (char === "'" || char === '"') quote = char;
    else if (char === "#" && /\s/.test(text[at - 1] ?? " ")) {
      at = (text.indexOf("\n", at) + 1 || text.length + 1) - 1;
    }
  }
  return quote === "" && !text.endsWith("\\");
}
