import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { marked } from "marked";
import { htmlToMarkdown, initSync } from "mdream/wasm";
import { expect, test } from "vitest";
import { inlineHtml } from "../../../../worker/browser/markdown/inline-html.ts";
import type { Marks } from "../../../../worker/browser/markdown/inline-html.ts";
import { inlineRun } from "../../../../worker/browser/markdown/inline-run.ts";
import { signs, tidyMarkdown } from "../../../../worker/browser/markdown/markdown-tidy.ts";
import { choices, seeded } from "../../../random.ts";

initSync({
  module: readFileSync(fileURLToPath(import.meta.resolve("mdream/wasm/mdream_edge_bg.wasm"))),
});

const change: Record<string, Partial<Marks>> = {
  b: { bold: true },
  i: { italic: true },
  s: { strike: true },
  code: { code: true },
  sup: { script: "sup" },
};

/** Markdown of one paragraph, written with the elements above, `a` and `br`. */
function markdownOf(paragraph: string): string {
  const run = inlineRun()(inlineHtml(), signs);
  const outer: Marks[] = [];
  let links = 0;
  for (const [, tag, text] of paragraph.matchAll(/<([^>]*)>|([^<]+)/g)) {
    if (text !== undefined) run.text(text, false);
    else if (tag === "br") run.lineBreak();
    else if (tag?.startsWith("/")) run.marks = outer.pop() ?? run.plain;
    else {
      outer.push(run.marks);
      links += 1;
      const own = tag === "a" ? { link: "http://x/", linkId: links } : change[tag ?? ""];
      run.marks = { ...run.marks, ...own };
    }
  }
  return tidyMarkdown(htmlToMarkdown(`<p>${run.take(false)}</p>`, {}));
}

test.each([
  ["By\u00a0<a>Jane</a>\u00a0on", "By\u00a0[Jane](http://x/)\u00a0on"],
  ["a\u2009<b>b</b>\u2003c<i>\u3000d</i>", "a\u2009**b**\u2003c\u3000*d*"],
  ["\u3000\u3000正文 \u00a0", "正文"],
])("a space that does not collapse parts words: %j", (page, markdown) => {
  expect(markdownOf(page)).toBe(markdown);
});

test.each([
  ["<b>Read <a>this</a> now</b>", "**Read [this](http://x/) now**"],
  ["<a>all <b>of</b> it</a>", "[all **of** it](http://x/)"],
  ["<b><a>one</a></b>", "[**one**](http://x/)"],
  ["<b>a <i>b</i></b> <i>c</i>", "**a _b_** *c*"],
  ["<i>a <b>b</b></i><b>c</b>", "*a* **bc**"],
  ["un<i>believ</i>able", "un*believ*able"],
  ["<b>重要。</b>后面", "**重要**。后面"],
  ["前面<b>“重要”</b>后面", "前面“**重要**”后面"],
  ["中<b>见<a>链接</a></b>文", "中**见**[**链接**](http://x/)文"],
  ["中<b><a>链接</a>见</b>文", "中[**链接**](http://x/)**见**文"],
  ["x<b><sup>2</sup></b>y", "x<sup>**2**</sup>y"],
  ["x<b>(!)</b>y", "x(!)y"],
  ["字<b><i>a $</i><i>a$</i></b>", "字a **$a$**"],
  ["x<b><code>y</code></b>z", "x`y`z"],
  ["<code>a <b>b</b> c</code>", "`a b c`"],
  ["<b>a<br>b</b>", "**a**  \n**b**"],
  ["<b>a </b>b<b> c</b>", "**a** b **c**"],
  ["<a>one</a><b><a>two</a> three</b>", "[one](http://x/) **[two](http://x/) three**"],
  ["so!<a>x</a>", "so\\![x](http://x/)"],
  ["<i>so!</i><a>x</a>", "*so!*[x](http://x/)"],
])("emphasis is Markdown: %s", (page, markdown) => {
  expect(markdownOf(page)).toBe(markdown);
});

test.each([
  ["see http://x.test/a_b_c.", "see http://x.test/a_b_c."],
  ["http://x.test/a_ b", "<http://x.test/a_> b"],
  ["(http://x.test/_a__)", "(<http://x.test/_a__>)"],
  ["<b>http://x.test/a_</b>", "**<http://x.test/a_>**"],
  ["http://x.test/a* b", "http://x.test/a\\* b"],
])("a bare URL leads where it does on the page: %s", (page, markdown) => {
  expect(markdownOf(page)).toBe(markdown);
});

test(seeded("no nesting leaves a mark of emphasis in the text"), () => {
  const choose = choices("emphasis");
  const pick = <T>(values: readonly T[]) => values[choose(values.length)] as T;
  const words = ["a", "字", " ", "。", "“", "b.", "(c", "\u00a0", "!", "$", "d e", "😀", "_", "*"];
  const part = (depth: number): string =>
    Array.from({ length: choose(1, 4) }, () => {
      const tag = pick(["b", "i", "a", "code", "", ""]);
      if (!tag || depth === 0) return pick(words);
      return `<${tag}>${part(depth - 1)}</${tag}>`;
    }).join("");
  for (let round = 0; round < 1000; round += 1) {
    const page = part(3);
    const expected = page.replace(/<[^>]*>|\s/g, "");
    const text = marked
      .parseInline(markdownOf(page), { async: false })
      .replace(/<[^>]*>|\s/g, "")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
    expect(text, `${page} as ${markdownOf(page)}`).toBe(expected);
  }
});
