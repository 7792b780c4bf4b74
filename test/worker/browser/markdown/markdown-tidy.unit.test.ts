import { expect, test } from "vitest";
import {
  signs,
  taskBoxes,
  tidyMarkdown,
} from "../../../../worker/browser/markdown/markdown-tidy.ts";

test("surplus blank lines go, except inside code", () => {
  const code = "```\na\n\n\n\nb\n```";
  expect(tidyMarkdown(`\n\nx\n\n\n\n${code}\n\n\n\ny\n\n`)).toBe(`x\n\n${code}\n\ny`);
});

test("a fence ends only with its own mark", () => {
  const code = "````\n```\n\n\n```\n````";
  expect(tidyMarkdown(`${code}\n\n\nx`)).toBe(`${code}\n\nx`);
});

test("task boxes and joined links become plain", () => {
  expect(tidyMarkdown(`- ${taskBoxes.done} a\n- ${taskBoxes.open}b`)).toBe("- [x] a\n- [ ] b");
  expect(tidyMarkdown(`字${signs.joiner} [链](http://x/)`)).toBe("字[链](http://x/)");
});
