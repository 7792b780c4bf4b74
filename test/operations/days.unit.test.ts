import { expect, test } from "vitest";
import * as z from "zod";
import { decodeInput } from "../../api/input.ts";
import { GatewayError, type Issue } from "../../contract/errors.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { usageInput } from "../../contract/account.ts";
import { requestOf } from "./inputs.ts";
import type { Input } from "./play.ts";

const usage = {
  id: "gateway.usage",
  method: "GET",
  path: "/account/usage",
  input: usageInput as z.ZodObject,
  example: {},
} as Operation;
const all = [usage, ...operations.values()];

interface Field {
  format?: string;
  description?: string;
}

/** Fields of an operation that hold days, or unix times. */
function fieldsOf(op: Operation, kind: "day" | "time"): string[] {
  const schema = z.toJSONSchema(op.input, { io: "input", unrepresentable: "any" });
  return Object.entries(schema.properties as Record<string, Field>)
    .filter(([, { format, description = "" }]) =>
      kind === "day" ? format === "date" : description.includes("unix seconds"),
    )
    .map(([name]) => name);
}

const places = (kind: "day" | "time") =>
  all.flatMap((op) => fieldsOf(op, kind).map((name) => ({ id: op.id, op, name })));

function issuesAt({ op, name }: { op: Operation; name: string }, value: string | number): Issue[] {
  const rest = { ...(op.example as Input), [name]: value };
  try {
    decodeInput(op, requestOf(op, rest));
  } catch (error) {
    expect((error as GatewayError).type).toBe("validation_error");
    return ((error as GatewayError).issues ?? []).filter((issue) => issue.path === name);
  }
  return [];
}

test("the fields that are days and times are known", () => {
  expect(places("day").map(({ id, name }) => `${id} ${name}`)).toContain("gateway.usage from");
  expect(places("day").length).toBeGreaterThan(12);
  expect(places("time").map(({ name }) => name)).toEqual(["start_time", "end_time"]);
});

test("no other field accepts a text that is a day or a time", () => {
  const known = new Set(places("day").map(({ id, name }) => `${id} ${name}`));
  const named = all.flatMap((op) =>
    Object.keys(op.input.shape)
      .filter((name) => /^(check_|date_|prices_(start|end))|^(from|to)$|_date$/.test(name))
      .filter((name) => !["date_range", "upload_date"].includes(name))
      .map((name) => `${op.id} ${name}`),
  );
  expect(named.filter((place) => !known.has(place))).toEqual([]);
});

test.each(places("day"))(
  "$id: $name is a day of the calendar, within documented bounds",
  (place) => {
    const days = [
      "2026-02-30",
      "2025-02-29",
      "2026-13-01",
      "2026-00-10",
      "0000-01-01",
      "0001-01-01",
      "9999-12-31",
      "+012026-01-01",
      "1767225600",
      "1767225600000",
      "2026-01-01T00:00:00Z",
      "",
    ];
    for (const day of days) {
      const issues = issuesAt(place, day);
      expect(issues, day).toHaveLength(1);
      expect(issues[0]?.message, day).toMatch(
        /^must be a day from \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d, YYYY-MM-DD$/,
      );
    }
  },
);

test.each(places("time"))("$id: $name is in unix seconds, within documented bounds", (place) => {
  for (const time of [-1, 0, 1_790_000_000_000, 253_402_300_800, 9_007_199_254_740_991]) {
    const issues = issuesAt(place, time);
    expect(issues, String(time)).toHaveLength(1);
    expect(issues[0]?.message).toBe(
      "must be unix seconds from 946684800 (2000-01-01) to 4102444799 (2099-12-31); milliseconds are not taken",
    );
  }
  expect(issuesAt(place, 1_790_000_000)).toEqual([]);
});
