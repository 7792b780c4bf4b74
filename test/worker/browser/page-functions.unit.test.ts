import { expect, test } from "vitest";
import { blockWriter } from "../../../worker/browser/markdown/blocks.ts";
import { visibleContent } from "../../../worker/browser/markdown/content.ts";
import { domTools } from "../../../worker/browser/dom.ts";
import { elementKinds } from "../../../worker/browser/markdown/elements.ts";
import { inlineHtml } from "../../../worker/browser/markdown/inline-html.ts";
import { inlineRun } from "../../../worker/browser/markdown/inline-run.ts";
import { rightlyEncoded } from "../../../worker/browser/page/encoding.ts";
import { sourceOf } from "../../../worker/browser/page/isolated-world.ts";
import { mathmlTex } from "../../../worker/browser/markdown/mathml-tex.ts";
import { pictureReader } from "../../../worker/browser/markdown/pictures.ts";
import { pageProgress } from "../../../worker/browser/page/unfinished.ts";

/** A comment that must not be sent: ≤. */
function sample(words: string[]): string[] {
  /* Nor this one,
   * of two lines. */
  const marks = /[¶§🔗\s]/gu;
  // Nor this.
  const address = "https://example.com/*//*/"; // This one may.
  return [...words.map((word) => word.replace(marks, "≤")), `“${address}”`];
}

test("a page function is sent without comments and in ASCII, and does the same", () => {
  const source = sourceOf(sample);
  expect(source).toMatch(/^[\n -~]*$/);
  expect(source).not.toMatch(/must not|Nor this|two lines/);
  // oxlint-disable-next-line typescript/no-implied-eval
  const sent = new Function(`return ${source}`)() as typeof sample;
  const words = ["a¶b", "🔗 c"];
  expect(sent(words)).toEqual(sample(words));
});

test("the functions that produce Markdown are valid in ASCII", () => {
  const all = [
    domTools,
    visibleContent,
    inlineRun,
    inlineHtml,
    blockWriter,
    pictureReader,
    mathmlTex,
    elementKinds,
    rightlyEncoded,
    pageProgress,
  ];
  const sources = all.map(sourceOf);
  for (const source of sources) {
    expect(source).toMatch(/^[\n -~]*$/);
    // oxlint-disable-next-line typescript/no-implied-eval
    expect(() => new Function(`return ${source}`)).not.toThrow();
  }
});
