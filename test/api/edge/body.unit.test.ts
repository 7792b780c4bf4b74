import { expect, test } from "vitest";
import { mostNames, parseBody } from "../../../api/edge/body.ts";
import { type GatewayError, longestName } from "../../../contract/errors.ts";
import { operations } from "../../../contract/index.ts";
import { walkSchema } from "../../contract/walk.ts";

const tooLong = (text: string | Buffer) => {
  try {
    parseBody(Buffer.from(text));
  } catch (error) {
    const { issues: [issue] = [] } = error as GatewayError;
    return issue?.code === "too_long" ? issue.path : issue?.code;
  }
  return undefined;
};
const most = "a".repeat(longestName);

test.each([
  ["as long as may be", `{"${most}":1}`],
  ["of two bytes each", `{"${"é".repeat(longestName)}":1}`],
  ["of four bytes each", `{"${"😀".repeat(longestName)}":1}`],
  ["of escapes", `{"${"\\u0061".repeat(longestName)}":1}`],
  ["of quotes", `{"${'\\"'.repeat(longestName)}":1}`],
  ["a long value is no name", `{"a":"${most}b","c":["${most}b"]}`],
])("a name %s is taken", (_, text) => {
  expect(tooLong(text)).toBeUndefined();
});

test.each([
  ["too long", `{"${most}b":1}`, most],
  ["of two megabytes", `{"${"a".repeat(2_000_000)}":1}`, most],
  ["before spaces", `{"${most}b" \n :1}`, most],
  ["of two bytes each", `{"${"é".repeat(longestName + 1)}":1}`, "é".repeat(longestName)],
  ["of escapes", `{"${"\\u0061".repeat(longestName)}b":1}`, undefined],
  ["in a list", `[0,{"b":[[],["x",{"c":1,"${most}b":{}}]]}]`, `[1].b[1][1].${most}`],
  ["behind others", `{"a":{"b":1},"c\\u0064":{"e":[],"f":{"${most}b":1}}}`, `cd.f.${most}`],
])("a name %s is refused at its place", (_, text, path) => {
  const found = tooLong(text);
  if (path === undefined) expect(found?.length).toBeLessThanOrEqual(longestName);
  else expect(found).toBe(path);
});

test("a body with a long name is refused before anything is made of it", () => {
  const texts = '"\\ud800",'.repeat(19_000).slice(0, -1);
  expect(tooLong(`{"${"a".repeat(2_000_000)}":[${texts}]}`)).toBe(most);
  // Not even as text: its bytes are no UTF-8, and what follows is no JSON.
  expect(tooLong(Buffer.from(`{"${most}b":\xff`, "latin1"))).toBe(most);
});

test("no input of any operation has names of the caller's own, or longer ones", () => {
  const names: string[] = [];
  for (const op of operations.values()) {
    walkSchema(op.input, (def) => {
      expect(def.type, op.id).not.toBe("record");
      names.push(...Object.keys((def.shape ?? {}) as object));
    });
  }
  expect(names.length).toBeGreaterThan(1000);
  expect(Math.max(...names.map((name) => name.length))).toBeLessThan(longestName / 4);
});

const crowd = (count: number) =>
  Array.from({ length: count }, (_, index) => `"k${index}":0`).join();

test("a byte order mark before a body is no part of it", () => {
  expect(parseBody(Buffer.from('\uFEFF{"q":"\uFEFF"}'))).toEqual({ q: "\uFEFF" });
  expect(parseBody(Buffer.from("\uFEFF"))).toBeUndefined();
});

test("names of an object are counted before the body is parsed", () => {
  expect(tooLong(`{${crowd(mostNames)}}`)).toBeUndefined();
  expect(tooLong(`{${crowd(mostNames + 1)}}`)).toBe("too_many_names");
  // Not JSON: it was not parsed.
  expect(tooLong(`{"a":[1,{"b":{${crowd(mostNames + 1)}!`)).toBe("too_many_names");
  // Each object has its own names.
  const some = `{${crowd(mostNames)}}`;
  expect(tooLong(`{"a":${some},"b":[${some},${some}]}`)).toBeUndefined();
});

test("the object with too many names is named", () => {
  try {
    parseBody(Buffer.from(`{"a":[1,{"b":{${crowd(mostNames + 1)}}}]}`));
    expect.unreachable();
  } catch (error) {
    expect((error as GatewayError).issues).toMatchObject([{ path: "a[1].b" }]);
  }
});

const issueOf = (text: string) => {
  try {
    parseBody(Buffer.from(text));
  } catch (error) {
    return (error as GatewayError).issues?.[0];
  }
  return undefined;
};

test.each([
  ['{"a":1,"a":1}', "a"],
  ['{"a":1,"\\u0061":2}', "a"],
  ['{"a":{"b":[{},{"c":1,"d":"{\\"c\\":1,","c":{}}]}}', "a.b[1].c"],
  ['[{"x":1},{"x":1,"y":{"x":1},"x":2}]', "[1].x"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"":0,"b":[],"":1}', ""],
])("the member that %s has twice is named", (text, path) => {
  expect(issueOf(text)).toMatchObject({ code: "duplicate", path });
});

test.each([
  ['{"__proto__":{"a":":"},"a":1}', "__proto__"],
  ['{"input":{"q":"a","\\u005f_proto__":1}}', "input.__proto__"],
  ['[{"a":1},[{"b":{"__proto__":null}}]]', "[1][0].b.__proto__"],
])("%s names a prototype, which no field is", (text, path) => {
  expect(issueOf(text)).toMatchObject({ code: "unknown_field", path, message: "unknown field" });
});

test.each(['{"a":"__proto__"}', '{"a":"\\u005f_proto__","constructor":1}', '["__proto__"]'])(
  "%s only speaks of a prototype",
  (text) => {
    expect(issueOf(text)).toBeUndefined();
  },
);

test.each(['{"a":{"a":1},"b":{"a":1}}', '[{"a":1},{"a":1}]', '{"proto":{"a":":"},"a":1}', "1"])(
  "%s has no member twice",
  (text) => {
    expect(issueOf(text)).toBeUndefined();
  },
);

test("searching for a member that is given twice costs little", () => {
  const names = Array.from({ length: mostNames }, (_, index) => `"k${index}":0`).join();
  const objects = Array.from({ length: 39 }, () => `{${names}}`).join();
  const startedAt = process.cpuUsage();
  expect(issueOf(`{"a":[${objects}],"b":"${"x".repeat(3_000_000)}","a":1}`)?.path).toBe("a");
  // It takes 20 ms; processor time is the same on a busy machine.
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / 1000).toBeLessThan(500);
});
