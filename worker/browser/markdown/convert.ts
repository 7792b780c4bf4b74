import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
// The WebAssembly build: the same on every platform, and bad input traps instead of ending the process.
import { htmlToMarkdown, initSync } from "mdream/wasm";
import { mainContent } from "./main-content.ts";
import type { MarkdownTask } from "./markdown.ts";
import { tidyMarkdown } from "./markdown-tidy.ts";

initSync({
  module: readFileSync(fileURLToPath(import.meta.resolve("mdream/wasm/mdream_edge_bg.wasm"))),
});

/** Converts normalised HTML to Markdown; only threads call it, because bad input takes long. */
export function convert(task: MarkdownTask): string {
  const html = task.mainContentOnly ? (mainContent(task) ?? task.html) : task.html;
  return tidyMarkdown(htmlToMarkdown(html, {}));
}
