import { expect, test } from "vitest";
import { commandsOf } from "./documents.ts";

const block = (language: string, ...lines: string[]) =>
  ["Text.", "", `\`\`\`${language}`, ...lines, "```", ""].join("\n");
const textsOf = (language: string, ...lines: string[]) =>
  commandsOf("a.md", block(language, ...lines)).map(({ text }) => text);

test("a command may continue over lines, quotes and here-documents", () => {
  expect(
    textsOf(
      "sh",
      "one \\",
      "  two",
      "",
      "# a comment's quote",
      "three   # its own, isn't it",
      "four",
    ),
  ).toEqual(["one \\\n  two", "three   # its own, isn't it", "four"]);
  expect(textsOf("sh", "echo 'a", 'b\' "c # d"', "next")).toEqual([
    "echo 'a\nb' \"c # d\"",
    "next",
  ]);
  expect(textsOf("sh", "cat > f <<'END'", "it's", "END", "next")).toEqual([
    "cat > f <<'END'\nit's\nEND",
    "next",
  ]);
});

test("blocks of other languages are no commands, blocks without one may be", () => {
  expect(textsOf("ts", "npm start")).toEqual([]);
  expect(textsOf("json", "{}")).toEqual([]);
  expect(textsOf("", "npm start", "npm test")).toEqual(["npm start", "npm test"]);
  expect(textsOf("", "some output")).toEqual([]);
});

test("a command knows its line", () => {
  expect(commandsOf("a.md", block("sh", "", "npm start"))).toEqual([
    { file: "a.md", line: 5, text: "npm start" },
  ]);
});
