import { expect, test } from "vitest";
import { decodeInput, type RawInput } from "../../api/input.ts";
import { byteFaults, parseQuery } from "../../api/edge/text.ts";
import { GatewayError, type Issue, dotted } from "../../contract/errors.ts";
import { operations } from "../../contract/index.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import { requestOf } from "./inputs.ts";
import type { Input } from "./play.ts";

type Path = (string | number)[];

/** Places of texts in an input: those of the example, and every other field. */
function textsOf(op: Operation): { path: Path; input: Input }[] {
  const found: { path: Path; input: Input }[] = [];
  const broken = "\ud83d kept apart";
  const walk = (value: unknown, path: Path): void => {
    if (typeof value === "string") {
      found.push({ path, input: placed(op.example as Input, path, broken) as Input });
    } else if (typeof value === "object" && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        walk(inner, [...path, Array.isArray(value) ? Number(key) : key]);
      }
    }
  };
  walk(op.example, []);
  for (const name of Object.keys(op.input.shape)) {
    if (name in (op.example as Input)) continue;
    found.push({ path: [name], input: { ...(op.example as Input), [name]: broken } });
  }
  return found;
}

function placed(holder: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(holder))
    return holder.with(step as number, placed(holder[step as number], rest, value));
  return { ...(holder as Input), [step]: placed((holder as Input)[step], rest, value) };
}

function issuesOf(op: Operation, raw: RawInput): Issue[] {
  try {
    decodeInput(op, raw);
  } catch (error) {
    if (error instanceof GatewayError && error.type === "validation_error")
      return error.issues ?? [];
    throw error;
  }
  throw new Error("accepted");
}

const all = [...operations.values()].filter((op) => textsOf(op).length > 0);

test.each(all)("$id: half a character in any text is refused at its place", (op) => {
  for (const { path, input } of textsOf(op)) {
    const raw = requestOf(op, input);
    // A query cannot carry half a character; the test below covers its bytes.
    if (op.method === "GET" && !pathParameters(op.path).includes(String(path[0]))) continue;
    const where = op.method === "POST" ? "body" : "path";
    const issues = issuesOf(op, raw).filter((issue) => issue.path === dotted(path));
    expect(issues, dotted(path)).toMatchObject([{ in: where, code: "invalid_text" }]);
  }
});

test.each(all)("$id: invalid UTF-8 is refused at its place", (op) => {
  for (const { path, input } of textsOf(op)) {
    const name = dotted(path);
    if (op.method === "POST") {
      const bytes = Buffer.from(
        JSON.stringify(requestOf(op, input).body).replace("\\ud83d", "caf\xe9"),
        "latin1",
      );
      expect(byteFaults(bytes), name).toEqual([
        { in: "body", path: name, code: "invalid_utf8", message: "is not valid UTF-8" },
      ]);
    } else if (!pathParameters(op.path).includes(name.replace(/\[.*/, ""))) {
      const field = name.replace(/\[.*/, "");
      const { query, ...rest } = requestOf(op, { ...(op.example as Input), [field]: undefined });
      query.delete(field);
      const raw = { ...rest, query: parseQuery(`${query.toString()}&${field}=caf%E9`) };
      expect(issuesOf(op, raw).filter((issue) => issue.path === field)).toMatchObject([
        { in: "query", code: "invalid_text" },
      ]);
    }
  }
});

test("a caller's own replacement character, and every valid character, are text", () => {
  const good = Buffer.from('{"a":"\ufffd","b":"\\ud83d\\ude00 \\u00e9 é 😀","é":[1]}');
  expect(byteFaults(good)).toEqual([]);
  expect(parseQuery("q=%EF%BF%BD&r=%F0%9F%98%80&s=100%&t=%zz").notUtf8).toBeUndefined();
});

test.each(["q=100%", "q=%zz", "q=a%4", "q=tea&%q=1"])(
  "the query %s is refused as in a path",
  (text) => {
    const op = operations.get("shortclip.search") as Operation;
    const issues = issuesOf(op, { path: {}, query: parseQuery(text), body: undefined });
    expect(issues).toContainEqual(expect.objectContaining({ in: "query", code: "malformed" }));
    expect(issues.map(({ path }) => path)).toContain(text.includes("%q") ? "%q" : "q");
  },
);

test("a body is refused for each of its invalid UTF-8 fields and no other field", () => {
  const body = '{"a":"\xe9","b":{"c":["x","\xff"]},"d":"\\u00e9","e":"\xc3\xa9"}';
  const places = byteFaults(Buffer.from(body, "latin1")).map((issue) => issue.path);
  expect(places).toEqual(["a", "b.c[1]"]);
  expect(byteFaults(Buffer.from("\xff\xfe", "latin1"))).toMatchObject([{ path: "" }]);
});
