import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

/** What STYLE.md asks for and a program can see. */

const root = join(import.meta.dirname, "..");

function git(...args: string[]): string[] | undefined {
  try {
    const text = execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" });
    return text.split("\n").filter(Boolean);
  } catch {
    return undefined;
  }
}

/** Why a commit title is refused, or undefined. */
function objection(title: string): string | undefined {
  if (title.length > 72) return `${title.length} characters`;
  const [, change] = /^[\w./, -]+: ([a-z].*)$/.exec(title) ?? [];
  if (change === undefined) return "no area first";
  const [verb = ""] = change.split(/[ ,]/);
  if (/(?:ed|ing)$/.test(verb) || /[^s]s$/.test(verb)) return `"${verb}" is no imperative`;
  if (/;|\.$/.test(change)) return "more than one change, or a full stop";
  return undefined;
}

test("commit titles since the style page are imperative, area first, short", ({ skip }) => {
  const [added] = git("log", "--diff-filter=A", "--format=%H", "--", "STYLE.md") ?? [];
  // A release archive, or a shallow clone, has no history to read.
  if (added === undefined) return skip();
  const titles = git("log", "--no-merges", "--format=%s", `${added}..HEAD`) ?? [];
  const wrong = titles.flatMap((title) => {
    const why = objection(title);
    return why === undefined ? [] : [`${title}: ${why}`];
  });
  expect(wrong).toEqual([]);
});

test("titles are judged as the style page says", () => {
  expect(objection("batches: yield while starting items")).toBeUndefined();
  expect(objection("api/queue: pass the deadline on")).toBeUndefined();
  expect(objection("Items of a batch are started a few at a time")).toBe("no area first");
  expect(objection("batches: starting items yields")).toMatch("no imperative");
  expect(objection("batches: yields while starting items")).toMatch("no imperative");
  expect(objection("batches: yield; the benchmark has a bare process")).toMatch("one change");
  expect(objection(`batches: ${"yield ".repeat(12)}`)).toMatch("characters");
});

/** The first begins a sentence without its subject, the others are words with a better one. */
const patterns: Record<string, RegExp> = {
  "begins without a subject":
    /(?:^|[.;:] )(?:Who|Whose|Whom|What|Of which|Of whom) (?![^.;]*\?)[a-z]/,
  'says "he"': /\b(?:he|his|him|himself)\b/i,
};

interface Text {
  line: number;
  text: string;
}

/** Comments of a program: neighbouring lines of one comment are one text. */
function commentsOf(source: string): Text[] {
  const found: Text[] = [];
  const block = /\/\*\*?([\s\S]*?)\*\/|((?:^[ \t]*(?:\/\/|--) .*\n?)+)/gm;
  for (const { 0: whole, 1: inner, 2: lines, index } of source.matchAll(block)) {
    const text = (inner ?? lines ?? whole)
      .split("\n")
      .map((line) => line.replace(/^\s*(?:\*|\/\/|--)?\s?/, ""))
      .join(" ")
      .trim();
    found.push({ line: source.slice(0, index).split("\n").length, text });
  }
  return found;
}

/** Paragraphs, list items and cells; headings and code are no sentences. */
function sentencesOf(markdown: string): Text[] {
  let isCode = false;
  return markdown.split("\n").flatMap((line, at): Text[] => {
    if (/^\s*```/.test(line)) isCode = !isCode;
    if (isCode || /^\s*(?:#|```)/.test(line)) return [];
    const cells = /^\s*\|/.test(line) ? line.split("|") : [line];
    return cells.map((cell) => ({
      line: at + 1,
      text: cell.replace(/^\s*(?:[-*]|\d+\.)\s+/, "").trim(),
    }));
  });
}

test("each document says first what its reader can do after it", () => {
  const pages = git("ls-files", "docs/*.md", "CONTRIBUTING.md") ?? [];
  const opening = /^# .+\n\nAfter this page you (?:can|know) \S/;
  const wrong = pages.filter((file) => !opening.test(readFileSync(join(root, file), "utf8")));
  expect(wrong).toEqual([]);
});

test("the front page can be read in two minutes", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  expect(text.split("\n").length).toBeLessThanOrEqual(91);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(750);
});

/** Written by hand in another voice: pages to convert, recorded answers, stop words. */
test("files of the program and its tests have at most 400 lines", () => {
  const files = git("ls-files", "*.ts", "*.mjs") ?? [];
  const long = files.filter(
    (file) => readFileSync(join(root, file), "utf8").trimEnd().split("\n").length > 400,
  );
  expect(long).toEqual([]);
});

const exempt =
  /^(?:test\/pages\/|contract\/find\.ts|test\/style\.unit\.test\.ts|.*\/samples\/|STYLE\.md)/;

test("comments and documents are plain: a subject first, nobody is a he", () => {
  const files = git("ls-files", "*.ts", "*.mjs", "*.sql", "*.md") ?? [];
  const wrong = files
    .filter((file) => !exempt.test(file))
    .flatMap((file) => {
      const source = readFileSync(join(root, file), "utf8");
      const texts = file.endsWith(".md") ? sentencesOf(source) : commentsOf(source);
      return texts.flatMap(({ line, text }) =>
        Object.entries(patterns)
          .filter(([, pattern]) => pattern.test(text))
          .map(([why]) => `${file}:${line} ${why}: ${text.slice(0, 120)}`),
      );
    });
  expect(wrong).toEqual([]);
});
