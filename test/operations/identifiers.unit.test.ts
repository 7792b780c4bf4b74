import { expect, test } from "vitest";
import type * as z from "zod";
import { decodeInput } from "../../api/input.ts";
import { GatewayError } from "../../contract/errors.ts";
import { id, isIdentifier, isNormalised } from "../../contract/fields.ts";
import { operations } from "../../contract/index.ts";
import { type Operation, pathParameters } from "../../contract/operation.ts";
import { requestOf } from "./inputs.ts";
import type { Input } from "./play.ts";

/** Text that no identifier may contain, whatever its own rule is. */
const never: Record<string, string> = {
  nothing: "",
  "a folder": ".",
  "the folder above": "..",
  "an escaped folder above": "%2e%2e",
  "a slash": "abcdefgh/jk",
  "an escaped slash": "abcdefgh%2fjk",
  "a backslash": "abcdefgh\\jk",
  "a folder above behind a slash": "../../account",
  NUL: "abcdefgh\0jk",
  "an escaped NUL": "abcdefgh%00jk",
  "a line feed": "abcdefgh\njk",
  "a control character": "abcdefgh\u0085jk",
  "a line separator": "abcdefgh\u2028jk",
  "right-to-left override": "abcdefgh\u202ejk",
  "a right-to-left mark": "abcdefgh\u200fjk",
  "a bidirectional isolate": "abcdefgh\u2066jk",
  "a noncharacter": "abcdefgh\uffffjk",
};

const under = (schema: z.core.$ZodType): z.core.$ZodType => {
  const { innerType } = schema._zod.def as { innerType?: z.core.$ZodType };
  return innerType ? under(innerType) : schema;
};

/** Every place of an identifier: path and other parameters, alone or in a list. */
const places = [...operations.values()].flatMap((op) =>
  Object.entries(op.input.shape).flatMap(([name, field]) => {
    const schema = under(field);
    const { element } = schema._zod.def as { element?: z.core.$ZodType };
    const inList = element !== undefined && isIdentifier(under(element));
    return isIdentifier(schema) || inList ? [{ id: op.id, name, op, inList }] : [];
  }),
);

/** The example with an invalid identifier, without the handle that would otherwise be beside it. */
function withId({ op, name, inList }: (typeof places)[number], value: string): Input {
  const rest = Object.entries(op.example as Input).filter(
    ([other]) => other !== name.replace(/_id$/, "_screen_name"),
  );
  return { ...Object.fromEntries(rest), [name]: inList ? [value] : value };
}

function refusal(op: Operation, input: Input): GatewayError {
  try {
    decodeInput(op, requestOf(op, input));
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error(`accepted ${JSON.stringify(input)}`);
}

test("every parameter of every path is an identifier or one of a few words", () => {
  const known = new Set(places.map(({ id, name }) => `${id} ${name}`));
  const all = [...operations.values()].flatMap((op) =>
    pathParameters(op.path)
      .filter((name) => under(op.input.shape[name] as z.ZodType)._zod.def.type !== "enum")
      .map((name) => `${op.id} ${name}`),
  );
  expect(all.filter((place) => !known.has(place))).toEqual([]);
  expect(all.length).toBeGreaterThan(100);
});

test("an identifier stays one where it is described once more", () => {
  const code = id(/^[A-Z]{3}$/, "Code", "3 letters", (given) => given.toUpperCase());
  for (const schema of [code, code.describe("Code of a thing"), code.describe("A").meta({ b: 1 })])
    expect([isIdentifier(schema), isNormalised(schema)]).toEqual([true, true]);
  const known = places.map(({ id: operation, name }) => `${operation} ${name}`);
  expect(known).toContain("finance.rates.series quote");
});

test.each(places)("$id: $name is never a separator, an escape or a control", (place) => {
  const { op, inList } = place;
  for (const [what, value] of Object.entries(never)) {
    // A list reports its empty entries as such.
    if (inList && value === "") continue;
    const fault = refusal(op, withId(place, value));
    expect(fault.type, what).toBe("invalid_id");
    expect(fault.status, what).toBe(400);
  }
});

test.each(places)("$id: a refused $name gets the accepted forms", (place) => {
  const { op, name } = place;
  const value = "no/id";
  const { message } = refusal(op, withId(place, value));
  const pattern = new RegExp(`^${name}(\\[0\\])? is not a valid identifier: it must be (.+)$`);
  const form = pattern.exec(message)?.[2] ?? "";
  expect(form, message).toMatch(/\b(digits|letters|characters|number)\b/);
  expect(form, "how long it is").toMatch(/\d/);
});
