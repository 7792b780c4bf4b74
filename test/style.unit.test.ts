import { execFileSync } from "node:child_process";
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
