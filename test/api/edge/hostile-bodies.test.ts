import { describe, expect, test } from "vitest";
import * as z from "zod";
import { mostValues, parseBody } from "../../../api/edge/body.ts";
import { decodeInput } from "../../../api/input.ts";
import { bodyLimitOf } from "../../../api/edge/size.ts";
import { areas } from "../../../contract/index.ts";
import { GatewayError, maxIssues } from "../../../contract/errors.ts";
import { full } from "../../faults/full.ts";
import { type Operation, pathParameters } from "../../../contract/operation.ts";

const operations = areas.flatMap((area) => area.operations) as Operation[];

/** Repeats one piece as often as it fits between the two ends. */
function repeated(start: string, piece: string, end: string, limit: number): string {
  const times = Math.floor((limit - start.length - end.length) / (piece.length + 1));
  return `${start}${`${piece},`.repeat(times).slice(0, -1)}${end}`;
}

const namesBySize = new Map<number, string>();

/** An object with as many names as fit. */
function namesOf(limit: number): string {
  const known = namesBySize.get(limit);
  if (known !== undefined) return known;
  const names = Array.from({ length: limit / 11 - 1 }, (_, index) => `"k${index}":0`.padEnd(10));
  const text = `{${names.join(",")}}`;
  namesBySize.set(limit, text);
  return text;
}

const half = String.raw`"\ud83d"`;

/** The largest bodies of every hostile shape that may pass the first size check. */
function hostileBodies(op: Operation): [string, string][] {
  const limit = bodyLimitOf(op);
  const known = Object.keys(op.input.shape).filter(
    (name) => !pathParameters(op.path).includes(name),
  );
  const few = Math.min(limit, mostValues * 6);
  const shapes: [string, string][] = [
    ["unknown names", namesOf(limit)],
    ["unknown names, few enough", namesOf(Math.min(limit, mostValues * 11))],
    ["one long text", `{"${known[0] ?? "a"}":"${"a".repeat(limit - 100)}"}`],
    ["quotes and backslashes", `{"${known[0] ?? "a"}":"${'\\"'.repeat(limit / 2 - 100)}"}`],
    ["not JSON", "[".repeat(limit)],
    ["colons behind a name of escapes", `{"${"\\u0061".repeat(200)}"`.padEnd(limit, ":")],
    [
      "half characters below a long name",
      repeated(`{"${"a".repeat(limit / 2)}":[`, half, "]}", limit / 2 + few),
    ],
  ];
  // Lists and filters are the expensive ones; other fields only in a full-length run.
  const looked = full ? known : known.filter((name, at) => at < 1 || /s$|group|filter/.test(name));
  for (const name of looked) {
    const [start, end] = [`{"${name}":[`, "]}"];
    shapes.push([`${name}: empty objects`, repeated(start, "{}", end, limit)]);
    shapes.push([`${name}: few enough objects`, repeated(start, "{  }", end, few)]);
    shapes.push([`${name}: few enough texts`, repeated(start, '"a b"', end, few)]);
    shapes.push([`${name}: half characters`, repeated(start, half, end, few)]);
    const group = [`{"${name}":{"and":[`, "]}}"] as const;
    if (name.includes("filter")) {
      shapes.push([`${name}: empty conditions`, repeated(group[0], "{}", group[1], limit)]);
      shapes.push([`${name}: few enough of them`, repeated(group[0], "{  }", group[1], few)]);
    }
  }
  return shapes;
}

function timed(action: () => unknown): number {
  const started = performance.now();
  try {
    action();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.issues?.length ?? 1).toBeLessThanOrEqual(maxIssues);
  }
  return performance.now() - started;
}

function understood(op: Operation, bytes: Buffer): void {
  const path = Object.fromEntries(pathParameters(op.path).map((name) => [name, "1"]));
  decodeInput(op, { path, query: new URLSearchParams(), body: parseBody(bytes) });
}

describe("case 40: no body costs more than a moment", () => {
  test("every operation, the largest body of every shape", () => {
    const slowest = { ms: 0, what: "", parse: 0 };
    let tried = 0;
    for (const op of operations.filter(({ method }) => method === "POST")) {
      for (const [shape, text] of hostileBodies(op)) {
        const bytes = Buffer.from(text);
        tried += 1;
        // The least of several runs excludes garbage collection and other load.
        let ms = timed(() => understood(op, bytes));
        for (let again = 0; again < 4 && ms > slowest.ms; again += 1) {
          ms = Math.min(
            ms,
            timed(() => understood(op, bytes)),
          );
        }
        if (ms <= slowest.ms) continue;
        const parse = timed(() => void safely(() => JSON.parse(text)));
        Object.assign(slowest, { ms, parse, what: `${op.id}, ${shape}, ${bytes.length} bytes` });
      }
    }
    console.log(
      `${tried} bodies; slowest ${slowest.what}: ${slowest.ms.toFixed(1)} ms, JSON.parse alone ${slowest.parse.toFixed(1)} ms`,
    );
    expect(tried).toBeGreaterThan(400);
    // A busy machine takes a multiple; without the bound it was seconds.
    expect(slowest.ms).toBeLessThan(1000);
  }, 120_000);

  test("validation of a filter stops at the first condition too many", () => {
    const op = operations.find(({ id }) => id === "geo.mentions.search") as Operation;
    const empty = Array.from({ length: 9_000 }, () => ({}));
    const body = { ...op.example, filters: { and: empty } };
    try {
      decodeInput(op, { path: {}, query: new URLSearchParams(), body });
      expect.unreachable();
    } catch (error) {
      const { issues = [] } = error as GatewayError;
      expect(issues[0]).toMatchObject({ path: "filters", code: "too_many_conditions" });
      expect(issues.length).toBeLessThanOrEqual(maxIssues);
    }
  });

  test("members of an array that is too long are not validated", () => {
    let arrays = 0;
    for (const op of operations.filter(({ method }) => method === "POST")) {
      const { properties = {} } = z.toJSONSchema(op.input, { io: "input", unrepresentable: "any" });
      for (const [name, field] of Object.entries(properties)) {
        if ((field as { type?: string }).type !== "array") continue;
        arrays += 1;
        let looked = 0;
        const trap = new Proxy(
          Array.from({ length: mostValues }, () => "a"),
          {
            get(target, at, receiver) {
              if (typeof at === "string" && /^\d+$/.test(at)) looked += 1;
              return Reflect.get(target, at, receiver) as unknown;
            },
          },
        );
        const { error } = op.input.safeParse({ ...op.example, [name]: trap });
        expect(error?.issues, `${op.id} ${name}`).toMatchObject([
          { code: "too_big", path: [name] },
        ]);
        expect(looked, `${op.id} ${name}`).toBe(0);
      }
    }
    expect(arrays).toBeGreaterThan(10);
  });

  test.each([
    ["[]", 1],
    ['{"a":[1,2,3]}', 4],
    ['{"a":"[{,"}', 1],
    ['{"a":"\\"[,,,","b":1}', 2],
  ])("%j is counted right", (text, values) => {
    const full = `[${text}${",0".repeat(mostValues - values - 1)}]`;
    expect(() => parseBody(Buffer.from(full))).not.toThrow();
    expect(() => parseBody(Buffer.from(`[${full}]`))).toThrow("more than");
  });
});

function safely(action: () => unknown): unknown {
  try {
    return action();
  } catch {
    return undefined;
  }
}
