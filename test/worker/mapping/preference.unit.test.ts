import { describe, expect, test } from "vitest";
import type { CursorPayload } from "../../../contract/cursor.ts";
import { type ErrorType, GatewayError } from "../../../contract/errors.ts";
import type { Call, Patience, Standing, Turn } from "../../../worker/connector.ts";
import { either, type Preference } from "../../../worker/mapping/preference.ts";
import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { Reply, Upstream } from "../../../worker/transport/upstream.ts";

type Name = "first" | "second";

const upstream = (name: string): Upstream => ({
  name,
  baseUrl: { env: "NONE", default: "http://upstream.example" },
  credentials: [`KEY_OF_${name.toUpperCase()}`],
  judge: () => ({ ok: true }),
});
const [one, spare, two] = [upstream("one"), upstream("spare"), upstream("two")];
const operation = "area.list";
const preference: Preference<Name> = {
  [operation]: [
    { name: "first", forms: [one, spare] },
    { name: "second", forms: [two] },
  ],
};

interface Options {
  standing?: Record<string, Standing>;
  cursor?: CursorPayload;
  /** Fails in this way, by the upstream's name. */
  fails?: Record<string, ErrorType>;
  failsOver?: boolean;
  holdsLess?: boolean;
  /** The variable that the account has an own credential for. */
  own?: string;
}

interface Answer {
  data: string;
  pagination: { has_more: boolean; next: CursorPayload };
}

/** Answers one call and notes what happened. */
async function answered({ standing = {}, cursor, fails = {}, ...options }: Options = {}) {
  const asked: { name: string; patience: Patience | undefined }[] = [];
  const turns: Turn[] = [];
  const well: string[] = [];
  const call = {
    operation,
    cursor,
    signal: new AbortController().signal,
    deadline: monotonicNow() + 60_000,
    send({ name }: Upstream, _request: unknown, patience?: Patience): Promise<Reply> {
      asked.push({ name, patience });
      const type = fails[name];
      return type
        ? Promise.reject(new GatewayError(type, `${name} fails`))
        : Promise.resolve({ status: 200, headers: {}, body: name });
    },
    own: options.own && {
      of: ([name]: readonly string[]) => (name === options.own ? {} : undefined),
    },
    standingOf: ({ name }: Upstream) => Promise.resolve(standing[name] ?? "ready"),
    failovers:
      options.failsOver === false
        ? undefined
        : {
            answered: ({ name }: Upstream) => well.push(name),
            turned: (turn: Turn) => turns.push(turn),
          },
  } as unknown as Call;
  const way = async (within: Call, to: Upstream): Promise<Answer> => {
    await within.send(to, { method: "GET", path: "/" });
    const { body } = await within.send(to, { method: "GET", path: "/" });
    return { data: String(body), pagination: { has_more: true, next: { u: "next" } } };
  };
  const [preferred, other] = preference[operation] as NonNullable<(typeof preference)[string]>;
  const rows = options.holdsLess
    ? { [operation]: [preferred, { ...other, holdsLess: true }] as const }
    : preference;
  const result = await either(call, rows, { first: way, second: way }).catch(
    (error: GatewayError) => error,
  );
  return {
    result,
    asked,
    turns: turns.map(({ from, to, reason }) => [from.name, to.name, reason]),
    well,
  };
}

const dataOf = async (options: Options) => ((await answered(options)).result as Answer).data;

describe("an operation with two upstreams", () => {
  test("asks the preferred one, in the form whose credential is set", async () => {
    const { result, asked, turns, well } = await answered();
    expect(result).toMatchObject({
      data: "one",
      pagination: { next: { u: "next", via: "first" } },
    });
    expect(asked.map(({ name }) => name)).toEqual(["one", "one"]);
    expect([turns, well]).toEqual([[], ["one"]]);
    expect(await dataOf({ standing: { one: "no_credentials" } })).toBe("spare");
  });

  test("uses the form for which the account has a credential of its own before the operator's other one", async () => {
    expect(await dataOf({ own: "KEY_OF_SPARE" })).toBe("spare");
    expect(await dataOf({ own: "KEY_OF_ONE" })).toBe("one");
    // The order of the sources is the operation's.
    expect(await dataOf({ own: "KEY_OF_TWO" })).toBe("one");
  });

  test("gives the preferred one half of the time, 15 seconds at most, and no retries until its first answer", async () => {
    const [first, second] = (await answered()).asked;
    const left = (first?.patience?.deadline ?? 0) - monotonicNow();
    expect(first?.patience?.retries).toBe(0);
    expect(left).toBeGreaterThan(10_000);
    expect(left).toBeLessThanOrEqual(15_000);
    expect(second?.patience ?? {}).toEqual({});
    // A retry is the better second chance where the other one may not hold the record.
    const [less] = (await answered({ holdsLess: true })).asked;
    expect(less?.patience).toEqual({ deadline: expect.any(Number) });
    // Without another one that can be asked, nothing is cut short.
    const alone = await answered({ standing: { two: "resting" } });
    expect(alone.asked[0]?.patience).toBeUndefined();
  });

  test.each(["upstream_unavailable", "upstream_error", "response_shape_error"] as const)(
    "turns to the other one on %s",
    async (type) => {
      const { result, turns, well } = await answered({ fails: { one: type } });
      expect(result).toMatchObject({ data: "two", pagination: { next: { via: "second" } } });
      expect([turns, well]).toEqual([[["one", "two", type]], []]);
    },
  );

  test.each(["not_found", "validation_error", "invalid_id", "internal_error"] as const)(
    "takes %s as the answer",
    async (type) => {
      const { result, asked, turns } = await answered({ fails: { one: type } });
      expect(result).toMatchObject({ type });
      expect(asked).toHaveLength(1);
      expect(turns).toEqual([]);
    },
  );

  test("asks nobody who rests or has no credential", async () => {
    const rested = await answered({ standing: { one: "resting" } });
    expect(rested.asked.map(({ name }) => name)).toEqual(["two", "two"]);
    expect(rested.turns).toEqual([["one", "two", "resting"]]);
    const keyless = await answered({
      standing: { one: "no_credentials", spare: "no_credentials" },
    });
    expect(keyless.result).toMatchObject({ data: "two" });
    expect(keyless.turns).toEqual([]);
    // Where both rest, the preferred one says why.
    const both = { one: "resting", two: "resting" } as const;
    expect(await dataOf({ standing: both })).toBe("one");
  });

  test("reports the preferred one's failure where both fail", async () => {
    const fails = { one: "response_shape_error", two: "upstream_unavailable" } as const;
    const { result } = await answered({ fails });
    expect(result).toMatchObject({ type: "response_shape_error", message: "one fails" });
    const known = { one: "upstream_unavailable", two: "not_found" } as const;
    expect((await answered({ fails: known })).result).toMatchObject({ type: "not_found" });
    expect((await answered({ fails: known, holdsLess: true })).result).toMatchObject({
      type: "upstream_unavailable",
    });
  });

  test("continues a page where it began, whatever that costs", async () => {
    const cursor = { u: "next", via: "second" };
    const { asked } = await answered({ cursor });
    expect(asked.map(({ name }) => name)).toEqual(["two", "two"]);
    const failed = await answered({ cursor, fails: { two: "upstream_unavailable" } });
    expect(failed.result).toMatchObject({ type: "upstream_unavailable" });
    expect(failed.asked.map(({ name }) => name)).toEqual(["two"]);
    // A source that is gone from the table: the list begins as a new one.
    expect(await dataOf({ cursor: { via: "third" } })).toBe("one");
  });

  test("hides no failure from those who look for it", async () => {
    const { result, asked } = await answered({
      failsOver: false,
      fails: { one: "response_shape_error" },
    });
    expect(result).toMatchObject({ type: "response_shape_error" });
    expect(asked).toHaveLength(1);
  });
});
