/// <reference lib="dom" />
import { blockOutline } from "../markdown/block-outline.ts";
import { blockWriter } from "../markdown/blocks.ts";
import { visibleContent } from "../markdown/content.ts";
import { elementKinds } from "../markdown/elements.ts";
import { embedReader } from "../markdown/embeds.ts";
import { GatewayError } from "../../../contract/errors.ts";
import { drawsSomething, readOnceShown } from "./first-text.ts";
import { pageTooLarge } from "../chromium/failure.ts";
import { inlineHtml } from "../markdown/inline-html.ts";
import { inlineRun } from "../markdown/inline-run.ts";
import { evaluate } from "./isolated-world.ts";
import { signs, taskBoxes } from "../markdown/markdown-tidy.ts";
import type { MainDocument } from "./main-document.ts";
import { fenced, readSource } from "./source.ts";
import { mathReader } from "../markdown/math.ts";
import { mathmlTex } from "../markdown/mathml-tex.ts";
import type { MarkdownThreads } from "../markdown/markdown.ts";
import { pictureReader } from "../markdown/pictures.ts";
import { revealRules } from "../markdown/reveal.ts";
import { childFrames, ifThere, readFrames } from "./child-frames.ts";
import type { RenderedPage } from "../chromium/tab.ts";
import { maxResultBytes, withinResultLimit } from "./result-limit.ts";
import { tableCells } from "../table-cells.ts";
import { tableGrids } from "../markdown/table-grid.ts";
import { timerEvent } from "../chromium/timer-watch.ts";
import { pageProgress } from "./unfinished.ts";

const contentParts = {
  run: inlineRun,
  inline: inlineHtml,
  grids: tableGrids,
  places: tableCells,
  kinds: elementKinds,
  reveal: revealRules,
  pictures: pictureReader,
  embeds: embedReader,
  outline: blockOutline,
  blocks: blockWriter,
  progress: pageProgress,
};
type Content = ReturnType<typeof visibleContent>;

/** A noncharacter, which is removed from a page's text. */
const frameSign = "\uFDD9";
const formulaParts = { math: mathReader, mathml: mathmlTex };

/** Reads the page's visible body as GitHub-flavoured Markdown; XML and JSON as they were delivered, in a fence. */
export async function readMarkdown(
  page: RenderedPage,
  document: MainDocument,
  threads: MarkdownThreads,
  mainContentOnly: boolean,
  /** True where a page that draws something, but no text, is read in other forms as well. */
  { mayBeEmpty = false }: { mayBeEmpty?: boolean } = {},
): Promise<{ url: string; markdown: string }> {
  const source = await readSource(page, document);
  if (source) return withinResultLimit({ url: source.url, markdown: fenced(source) });
  const input = {
    boxes: taskBoxes,
    signs,
    frameSign,
    timerEvent,
    maxLength: maxResultBytes,
    structured: mainContentOnly,
  };
  const readFrame = async (frameId: string) => {
    const read = (parts: typeof contentParts) =>
      evaluate(page.tab.frame(frameId), visibleContent, input, page.timeLeft(), parts);
    const content = await read(contentParts);
    return content.formulas ? read({ ...contentParts, ...formulaParts }) : content;
  };
  const readAll = async (frameId: string, depth: number): Promise<Content> => {
    const content = await readFrame(frameId);
    if (content.frames.length === 0) return content;
    const children = depth < readFrames.depth ? await childFrames(page.tab, frameId) : [];
    let { html } = content;
    for (const number of content.frames) {
      const child = children[number];
      const read = child && (await ifThere(readAll(child.frameId, depth + 1)));
      // A frame that could not be loaded holds a page of Chromium's own.
      const inner = read?.url.startsWith("chrome") ? undefined : read;
      if (inner && inner.html === undefined) html = undefined;
      html = html?.replace(`${frameSign}${number}${frameSign}`, () => inner?.html ?? "");
      if (html !== undefined && html.length > maxResultBytes) html = undefined;
    }
    return { ...content, html };
  };
  const content = await readOnceShown(
    page,
    () => readAll(page.tab.frameId, 0),
    ({ html, waits, size }) => ({ shows: html !== "", waits, size }),
  );
  if (content.html === undefined) throw pageTooLarge("content of the page");
  const markdown = await threads.convert(
    { html: content.html, title: content.title, mainContentOnly },
    page.account,
    page.signal,
  );
  if (markdown === "" && !mayBeEmpty && (await drawsSomething(page))) {
    throw new GatewayError(
      "upstream_error",
      "The page shows something, but no text: a screenshot has what it draws",
    );
  }
  return withinResultLimit({ url: content.url, markdown });
}
