import { expect, test } from "vitest";
import { commandsOf, documents, readDocument } from "./documents.ts";

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

test("commands name the gateway and the key by GATEWAY_URL and GATEWAY_KEY, whatever its port", () => {
  const commands = documents.flatMap((file) => commandsOf(file, readDocument(file)));
  const others = commands.filter(({ text }) =>
    /\bKEY=|\$KEY\b|curl\b[^\n]*localhost:3000|--account demo/.test(text),
  );
  expect(others).toEqual([]);
});

test("examples with an Idempotency-Key have keys of their own, so that all of them can be pasted", () => {
  const keys = documents.flatMap((file) =>
    [...readDocument(file).matchAll(/idempotency-?key: '?"?([a-z0-9-]{4,})/gi)].map(
      ([, key]) => key,
    ),
  );
  expect(keys.length).toBeGreaterThan(3);
  expect(new Set(keys).size).toBe(keys.length);
});
