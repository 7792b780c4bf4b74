import { readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { htmlToMarkdown, initSync } from "mdream/wasm";
import { MarkdownThreads } from "../worker/browser/markdown/markdown.ts";
import { type Figure, pairs, spread } from "./figures.ts";
import { timed } from "./timed.ts";

/** About 1 MB of tables between headings and paragraphs, as an ordinary long page has them. */
function tables(): string {
  const row = (index: number) =>
    `<tr>${Array.from({ length: 6 }, (_, cell) => `<td>cell ${index}.${cell} of the table</td>`).join("")}</tr>`;
  const part = (index: number) =>
    `<h2>Part ${index}</h2><p>Some <strong>text</strong> with a <a href="https://site.example/${index}">link</a>.</p>` +
    `<table><tr><th>a</th><th>b</th><th>c</th><th>d</th><th>e</th><th>f</th></tr>${Array.from({ length: 30 }, (_, line) => row(line)).join("")}</table>`;
  const one = part(1000).length;
  return Array.from({ length: Math.ceil(1_000_000 / one) }, (_, index) => part(index)).join("");
}

/** Lists in quotes in lists, each twelve deep: the deepest that HTML normalisation keeps. */
function nested(): string {
  const deep = (depth: number): string =>
    depth === 0
      ? "the end"
      : `<ul><li>level ${depth}<blockquote>${deep(depth - 1)}</blockquote></li></ul>`;
  return deep(12).repeat(300);
}

/** Normalised HTML to Markdown on the worker's threads, beside the bare converter in this thread. */
export async function markdown(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  initSync({
    module: readFileSync(fileURLToPath(import.meta.resolve("mdream/wasm/mdream_edge_bg.wasm"))),
  });
  const threads = new MarkdownThreads();
  const never = new AbortController().signal;
  const figures: Figure[] = [];
  try {
    const pages = { "1 MB with tables": tables(), "nested twelve deep": nested() };
    for (const [name, html] of Object.entries(pages)) {
      const [ours, floor, blocked]: number[][] = [[], [], []];
      for (let round = 0; round <= options.rounds; round += 1) {
        const bare = await timed(1, options.seconds / 2, () => htmlToMarkdown(html, {}));
        const delay = monitorEventLoopDelay({ resolution: 1 });
        delay.enable();
        const threaded = await timed(1, options.seconds / 2, () =>
          threads.convert({ html, title: "", mainContentOnly: false }, "bench", never),
        );
        delay.disable();
        if (round === 0) continue;
        // As throughput, because the goal counts more as better.
        ours?.push(1000 / threaded.p50);
        floor?.push(1000 / bare.p50);
        blocked?.push(delay.percentile(99) / 1e6);
      }
      const title = `HTML to Markdown, ${name} (${Math.round(html.length / 1000)} kB)`;
      figures.push(pairs(title, "pages/s", "≥ 0.8 x", ours as number[], floor as number[]), {
        name: "delay of the main loop during that",
        unit: "ms p99",
        ours: spread(blocked as number[]),
        goal: "",
      });
    }
  } finally {
    await threads.close();
  }
  return figures;
}
