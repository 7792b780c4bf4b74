import * as z from "zod";
import { describe, expect, test } from "vitest";
import type { FastifyRequest } from "fastify";
import { decodeInput } from "../../api/input.ts";
import { translate } from "../../api/input-issues.ts";
import { inputOf } from "../../api/endpoints.ts";
import { batchesEndpoints } from "../../contract/batches.ts";
import { type ErrorType, GatewayError, type Issue } from "../../contract/errors.ts";
import { id, page, text } from "../../contract/fields.ts";
import { jobsEndpoints } from "../../contract/jobs.ts";
import { type Operation, area, operation } from "../../contract/operation.ts";

const things = area({
  name: "things",
  summary: "Operations of this test",
  pool: "social",
  operations: [
    operation({
      id: "things.list",
      method: "GET",
      path: "/things/{thing_id}/parts",
      summary: "",
      input: z.strictObject({
        thing_id: id(/^[0-9]{3,9}$/, "Thing", "3 to 9 digits", (raw) => raw.replace(/^@/, "")),
        ids: z
          .array(id(/^[a-z]+$/, "Part", "letters of a to z"))
          .max(3)
          .optional(),
        q: text(1, 10, "Words").optional(),
        deep: z.boolean().default(false),
        longitude: z.number().min(-180).max(180).optional(),
        ...page({ most: 50, default: 20 }),
      }),
      data: z.array(z.string()),
      paginated: true,
      records: { kind: "list", rows: (data) => data, most: (input) => input.limit },
      example: { thing_id: "123" },
    }),
    operation({
      id: "things.find",
      method: "POST",
      path: "/things/find",
      summary: "",
      input: z.strictObject({
        targets: z
          .array(text(1, 5, "Target"))
          .min(1)
          .max(3),
        location: z.union([z.string().min(2), z.int().positive()]).optional(),
        where: z
          .union([
            z.strictObject({ a: z.int() }),
            z.strictObject({ b: z.strictObject({ c: z.string() }) }),
          ])
          .optional(),
      }),
      data: z.object({}),
      records: { kind: "one" },
      example: { targets: ["x"] },
    }),
  ],
});
const [list, find] = things.operations as unknown as [Operation, Operation];

const get = (query: string, thing_id = "123") =>
  decodeInput(list, { path: { thing_id }, query: new URLSearchParams(query), body: undefined });
const post = (body: unknown, query = "") =>
  decodeInput(find, { path: {}, query: new URLSearchParams(query), body });

function refusal(run: () => unknown): { type: ErrorType; issues: Issue[] } {
  try {
    run();
  } catch (error) {
    if (error instanceof GatewayError) return { type: error.type, issues: error.issues ?? [] };
    throw error;
  }
  throw new Error("was accepted");
}

describe("a query", () => {
  test("becomes typed values with defaults", () => {
    expect(get("limit=7&deep=true&ids=a,b&ids=c&q=%20hi%20", "@456")).toEqual({
      thing_id: "456",
      ids: ["a", "b", "c"],
      q: "hi",
      deep: true,
      limit: 7,
    });
    expect(get("")).toEqual({ thing_id: "123", deep: false, limit: 20 });
  });

  test.each([
    ["limit=", "limit"],
    ["limit=0x10", "limit"],
    ["limit=1e1", "limit"],
    ["limit=7.5", "limit"],
    ["limit=51", "limit"],
    ["limit=%207", "limit"],
    ["deep=1", "deep"],
    ["deep=", "deep"],
    ["q=", "q"],
    ["ids=a,b,c,d", "ids"],
    ["nope=1", "nope"],
    ["thing_id=9", "thing_id"],
    ["toString=1", "toString"],
    ["limit=1&limit=2", "limit"],
  ])("%s is refused and named", (query, path) => {
    const { type, issues } = refusal(() => get(query));
    expect(type).toBe("validation_error");
    expect(issues).toMatchObject([{ in: "query", path }]);
  });

  test.each([
    ["1e-05", 0.00001],
    ["-1.5E2", -150],
    ["-0.12781", -0.12781],
  ])("a number may be written %s", (written, value) => {
    expect(get(`longitude=${written}`)).toMatchObject({ longitude: value });
  });

  test.each([
    ["longitude=east", "longitude", "must be a number"],
    ["longitude=1e", "longitude", "must be a number"],
    ["limit=x", "limit", "must be a number"],
    ["limit=7.5", "limit", "must be a whole number"],
    ["deep=1", "deep", "must be true or false"],
  ])("%s is refused with the expected type", (query, path, message) => {
    expect(refusal(() => get(query)).issues).toMatchObject([{ path, message }]);
  });

  test("a number out of range is refused with its range", () => {
    const { issues } = refusal(() => get("limit=99999999999999999999"));
    expect(issues).toMatchObject([{ path: "limit", message: "must be at most 9007199254740991" }]);
  });

  test("a parameter given twice is one fault, even where another value is required", () => {
    const { issues } = refusal(() => get("q=a&q=b"));
    expect(issues).toMatchObject([{ path: "q", code: "duplicate" }]);
  });

  test("reports one issue for every fault", () => {
    const { issues } = refusal(() => get("limit=0&q=&nope=1&deep=x"));
    expect(issues.map((issue) => issue.path).toSorted()).toEqual(["deep", "limit", "nope", "q"]);
  });
});

describe("identifiers", () => {
  test.each(["12", "abc", "..", "12/3", "1%00", "12\u0000", "1".repeat(2048), ""])(
    "%j in the path is invalid_id",
    (value) => {
      expect(refusal(() => get("", value)).type).toBe("invalid_id");
    },
  );

  test("a malformed identifier in a list is invalid_id", () => {
    expect(refusal(() => get("ids=a,B2")).type).toBe("invalid_id");
  });

  test("beside another fault it is one issue among others", () => {
    const { type, issues } = refusal(() => get("limit=0", "x"));
    expect(type).toBe("validation_error");
    expect(issues).toMatchObject([
      { in: "path", path: "thing_id" },
      { in: "query", path: "limit" },
    ]);
  });
});

describe("a body", () => {
  test.each([
    [undefined, "", "invalid_type"],
    [null, "", "invalid_type"],
    [[], "", "invalid_type"],
    ["x", "", "invalid_type"],
    [{}, "targets", "required"],
    [{ targets: ["x", "", "toolong"] }, "targets[1]", "too_small"],
    [{ targets: ["x"], where: { b: { c: 1 } } }, "where.b.c", "invalid_type"],
    [{ targets: ["x"], other: 1 }, "other", "unknown_field"],
    [JSON.parse('{"targets":["x"],"__proto__":{}}'), "__proto__", "unknown_field"],
  ])("%j is refused at %j", (body, path, code) => {
    const { type, issues } = refusal(() => post(body));
    expect(type).toBe("validation_error");
    expect(issues[0]).toMatchObject({ in: "body", path, code });
  });

  test("a value of two allowed kinds is refused with both", () => {
    for (const location of [{}, [], true]) {
      const { issues } = refusal(() => post({ targets: ["x"], location }));
      expect(issues).toMatchObject([{ path: "location", message: "must be text or a number" }]);
    }
  });

  test("takes no query parameters", () => {
    expect(refusal(() => post({ targets: ["x"] }, "a=1")).issues).toMatchObject([
      { in: "query", path: "a" },
    ]);
  });

  test("reports at most fifty issues", () => {
    const body = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`f${index}`, 1]));
    expect(refusal(() => post({ targets: ["x"], ...body })).issues).toHaveLength(50);
  });
});

test("bounds and choices are worded like every other fault", () => {
  const schema = z.object({
    none: z.string().min(1),
    many: z.array(z.string()).max(2),
    exact: z.string().length(2),
    above: z.number().gt(3),
    one: z.enum(["x", "y"]),
    only: z.literal("x"),
    own: z.string().min(9, "must be long"),
  });
  const sent = { none: "", many: ["", "", ""], exact: "", above: 3, one: "z", only: "z", own: "" };
  const issues = schema.safeParse(sent).error?.issues ?? [];
  const found = issues.flatMap((issue) => translate(issue, () => "body"));
  expect(Object.fromEntries(found.map(({ path, message }) => [path, message]))).toEqual({
    none: "must have at least 1 character",
    many: "must have at most 2 entries",
    exact: "must have exactly 2 characters",
    above: "must be more than 3",
    one: "must be one of x, y",
    only: "must be x",
    own: "must be long",
  });
});

// Postgres refuses U+0000 in a text, which made the answer a 500.
test("U+0000 is refused by the gateway's own endpoints", () => {
  const [, batchList] = batchesEndpoints;
  const [jobList] = jobsEndpoints;
  for (const [endpoint, name] of [
    [jobList, "operation"],
    [jobList, "cursor"],
    [batchList, "cursor"],
  ] as const) {
    const query = new URLSearchParams({ [name]: "a\0b" });
    const request = { method: "GET", params: {}, query, body: undefined } as unknown;
    expect(() => inputOf(endpoint, request as FastifyRequest), endpoint.id).toThrow(
      `${name}: must not contain U+0000`,
    );
  }
});

test("a text is counted in characters, as its JSON Schema counts them", () => {
  const typed = text(2, 700, "");
  for (const character of ["a", "é", "語", "😀"]) {
    expect(typed.safeParse(character.repeat(700)).success, character).toBe(true);
    expect(typed.safeParse(character.repeat(701)).success, character).toBe(false);
    expect(typed.safeParse(character).success, character).toBe(false);
  }
});
