/// <reference lib="dom" />
import { visibleContent } from "./content.ts";
import { pageTooLarge } from "./failure.ts";
import { inlineRun } from "./inline-run.ts";
import { evaluate } from "./isolated-world.ts";
import { joiner, taskBoxes } from "./markdown-tidy.ts";
import type { MarkdownThreads } from "./markdown.ts";
import type { RenderedPage } from "./tab.ts";
import { maxResultBytes, withinResultLimit } from "./result-limit.ts";
import { tableGrids } from "./table-grid.ts";

/** The page's visible body as GitHub-flavoured Markdown. */
export async function readMarkdown(
  page: RenderedPage,
  threads: MarkdownThreads,
): Promise<{ url: string; markdown: string }> {
  const content = await evaluate(
    page.tab,
    visibleContent,
    { boxes: taskBoxes, joiner, maxLength: maxResultBytes },
    page.timeLeft(),
    { run: inlineRun, grids: tableGrids },
  );
  if (content.html === undefined) throw pageTooLarge("content of the page");
  const markdown = await threads.convert(content.html, page.signal);
  return withinResultLimit({ url: content.url, markdown });
}
