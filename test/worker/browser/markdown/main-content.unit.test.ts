import { expect, test } from "vitest";
import { mainContent } from "../../../../worker/browser/markdown/main-content.ts";

const sentence = "The old mill stands by the river, and its wheel turns when the water is high. ";
const paragraphs = (count: number) => `<p>${sentence.repeat(3)}</p>`.repeat(count);
const menu =
  '<nav class="menu"><ul><li><a href="/a">A</a></li><li><a href="/b">B</a></li></ul></nav>';
const page = (article: string) => ({
  html: `${menu}<main><h1 data-level="1">The mill</h1>${article}</main><footer><p>Imprint</p></footer>`,
  title: "The mill",
});

test.each([
  ["as long as the first", 4, 4],
  ["shorter than the first", 8, 1],
  ["longer than the first", 1, 8],
])("a second section of an article is part of it: %s", (_name, first, second) => {
  const article =
    `<article><section class="part"><h2 data-level="2">Then</h2>${paragraphs(first)}</section>` +
    `<section class="part"><h2 data-level="2">Now</h2>${paragraphs(second)}</section></article>`;
  const found = mainContent(page(article)) ?? "";
  expect(found.split("The old mill").length - 1).toBe(3 * (first + second));
  for (const part of ["Then", "Now"]) expect(found).toContain(part);
  for (const part of [`href="/a"`, "Imprint"]) expect(found).not.toContain(part);
});
