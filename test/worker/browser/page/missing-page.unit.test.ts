import { expect, test } from "vitest";
import { textLength } from "../../../../worker/browser/page/missing-page.ts";

test.each([
  ["<p>abc</p> <b>de</b>", 5],
  ["<script>if (a<b) {}</script><style>p{}</style><!-- c > --><p>x</p>", 1],
  ["<title>T</title><noscript>n</noscript>text", 4],
  ["<p>unfinished <script>x", 10],
  ["", 0],
])("%j has %i characters of text", (html, length) => {
  expect(textLength(html)).toBe(length);
});

test("a megabyte of opening brackets takes no measurable time", () => {
  expect(textLength("<".repeat(1_000_000))).toBe(0);
});
