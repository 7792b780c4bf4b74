import { expect, test } from "vitest";
import { plain } from "../../../worker/mapping/markup.map.ts";

test.each([
  ["caf&eacute; &uuml;ber &euro; &#8212; &#x1F600; AT&T", "café über € — 😀 AT&T"],
  ["&amp;eacute;", "&eacute;"],
  ["a<br>b<BR/>c", "a\nb\nc"],
  ['<a href="/x">link</a> <em>and</em> 1 < 2', "link and 1 < 2"],
  [
    `<img src=a alt="two words"> <img alt='of "one"'> <img alt=bare> <img>`,
    'two words of "one" bare',
  ],
  ["safe<script type=x>if (a < b) go();</script> text<style>p{}</style>", "safe text"],
  ["a <script>never closed", "a"],
])("%s is read as text", (html, expected) => {
  expect(plain(html)).toBe(expected);
});

test("a text of many unclosed elements is read in linear time", () => {
  expect(plain("<script ".repeat(200_000))).toBe("<script ".repeat(200_000).trim());
  expect(plain("<script>".repeat(200_000))).toBe("");
});
