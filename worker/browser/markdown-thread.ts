import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parentPort } from "node:worker_threads";
// The WebAssembly build: the same on every platform, and bad input traps instead of ending the process.
import { htmlToMarkdown, initSync } from "mdream/wasm";
import { tidyMarkdown } from "./markdown-tidy.ts";

initSync({
  module: readFileSync(fileURLToPath(import.meta.resolve("mdream/wasm/mdream_edge_bg.wasm"))),
});

parentPort?.on("message", (html: string) => {
  parentPort?.postMessage(tidyMarkdown(htmlToMarkdown(html, {})));
});
