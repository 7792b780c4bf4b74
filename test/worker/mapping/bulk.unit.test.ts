import { expect, test } from "vitest";
import { GatewayError } from "../../../contract/errors.ts";
import { type BulkOptions, bulk } from "../../../worker/mapping/bulk.ts";
import type { Call } from "../../../worker/connector.ts";

interface Row {
  target: string;
  rank: number;
}

function callOf(maxRecords = 1000, signal = new AbortController().signal): Call {
  const startedAt = Date.now();
  const times = { startedAt, deadline: startedAt + 60_000 };
  return { maxRecords, signal, ...times, log: () => {} } as unknown as Call;
}

/** Options that answer every input with its length, and record the requested chunks. */
function options(inputs: string[], more: Partial<BulkOptions<Row>> = {}) {
  const pieces: string[][] = [];
  const all: BulkOptions<Row> = {
    inputs,
    most: 1000,
    key: (row) => row.target,
    name: (row, target) => ({ ...row, target }),
    ...more,
    ask: async (piece) => {
      pieces.push(piece);
      return more.ask?.(piece) ?? piece.map((target) => ({ target, rank: target.length }));
    },
  };
  return { all, pieces };
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `site-${at}.example`);
const failure = (text: string) => new GatewayError("upstream_error", text);

test("seo surprise 17: rows in any order and spelling go to the caller's inputs, in their order", async () => {
  const { all } = options(["Example.com", "a.example", "https://b.example/Path"], {
    ask: async () => [
      { target: "https://www.b.example/path/", rank: 3 },
      { target: "www.a.example", rank: 2 },
      { target: "example.com", rank: 1 },
    ],
  });
  expect((await bulk(callOf(), all)).results).toEqual([
    { target: "Example.com", rank: 1 },
    { target: "a.example", rank: 2 },
    { target: "https://b.example/Path", rank: 3 },
  ]);
});

test("an exact match precedes a looser one", async () => {
  const { all } = options(["www.a.example", "a.example"], {
    ask: async () => [
      { target: "a.example", rank: 2 },
      { target: "www.a.example", rank: 1 },
    ],
  });
  expect((await bulk(callOf(), all)).results.map(({ rank }) => rank)).toEqual([1, 2]);
});

test("a host and its www stay apart where the source answers with addresses", async () => {
  for (const rows of [
    ["https://a.example/", "https://www.a.example/"],
    ["https://www.a.example/", "https://a.example/"],
  ]) {
    const { all } = options(["a.example", "www.a.example"], {
      ask: async () => rows.map((target) => ({ target, rank: target.length })),
    });
    expect((await bulk(callOf(), all)).results).toEqual([
      { target: "a.example", rank: "https://a.example/".length },
      { target: "www.a.example", rank: "https://www.a.example/".length },
    ]);
  }
});

test("duplicates are requested and answered once, at their first position", async () => {
  const { all, pieces } = options([
    "b.example",
    "A.example",
    "B.EXAMPLE",
    "a.example",
    "c.example",
  ]);
  const found = await bulk(callOf(), all);
  expect(pieces).toEqual([["b.example", "A.example", "c.example"]]);
  expect(found.results.map(({ target }) => target)).toEqual([
    "b.example",
    "A.example",
    "c.example",
  ]);
  expect(found).toMatchObject({ missing: [], unprocessed: [], truncated: false });
});

test("unanswered inputs are missing, and rows without an input are left out", async () => {
  const { all } = options(["a.example", "b.example"], {
    ask: async () => [
      { target: "z.example", rank: 9 },
      { target: "b.example", rank: 2 },
    ],
  });
  const found = await bulk(callOf(), all);
  expect(found.results).toEqual([{ target: "b.example", rank: 2 }]);
  expect(found.missing).toEqual(["a.example"]);
});

test("no more is requested than the balance covers", async () => {
  const { all, pieces } = options(names(10));
  const found = await bulk(callOf(4), all);
  expect(pieces.flat()).toEqual(names(4));
  expect(found.results).toHaveLength(4);
  expect(found.unprocessed).toEqual(names(10).slice(4));
  expect(found).toMatchObject({ truncated: true, missing: [] });
});

test("unknown inputs are free: others are requested in their place", async () => {
  const unknown = new Set(["site-0.example", "site-3.example"]);
  const { all, pieces } = options(names(6), {
    ask: async (piece) =>
      piece.filter((target) => !unknown.has(target)).map((target) => ({ target, rank: 1 })),
  });
  const found = await bulk(callOf(3), all);
  expect(found.results.map(({ target }) => target)).toEqual([
    "site-1.example",
    "site-2.example",
    "site-4.example",
  ]);
  expect(pieces).toEqual([names(3), ["site-3.example"], ["site-4.example"]]);
  expect(found).toMatchObject({
    missing: [...unknown],
    unprocessed: ["site-5.example"],
    truncated: true,
  });
  const rest = await bulk(callOf(4), all);
  expect(rest).toMatchObject({ missing: [...unknown], unprocessed: [], truncated: false });
});

test("where hardly any input is known, requests end after a few rounds", async () => {
  const { all, pieces } = options(names(100), { ask: async () => [] });
  const found = await bulk(callOf(2), all);
  expect(pieces).toHaveLength(5);
  expect(found.missing).toEqual(names(10));
  expect(found.unprocessed).toEqual(names(100).slice(10));
  expect(found.truncated).toBe(true);
});

test("chunks hold no more than the upstream takes and no more than the plan allows", async () => {
  const { all, pieces } = options(names(25), {
    most: 10,
    plan: (inputs) => [inputs.slice(0, 12), inputs.slice(12)],
  });
  const found = await bulk(callOf(), all);
  expect(pieces.map((piece) => piece.length)).toEqual([10, 2, 10, 3]);
  expect(found.results.map(({ target }) => target)).toEqual(names(25));
});

test("chunks run concurrently, three at a time", async () => {
  let running = 0;
  let most = 0;
  const { all } = options(names(70), {
    most: 10,
    ask: async (piece) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return piece.map((target) => ({ target, rank: 1 }));
    },
  });
  expect((await bulk(callOf(), all)).results).toHaveLength(70);
  expect(most).toBe(3);
});

test("a failed chunk loses no other", async () => {
  const { all } = options(names(30), {
    most: 10,
    ask: async (piece) => {
      if (piece.includes("site-10.example")) throw failure("second piece");
      return piece.slice(1).map((target) => ({ target, rank: 1 }));
    },
  });
  const found = await bulk(callOf(25), all);
  expect(found.results).toHaveLength(9 + 4);
  expect(found.missing).toEqual(["site-0.example", "site-20.example"]);
  expect(found.unprocessed).toEqual([...names(30).slice(10, 20), ...names(30).slice(25)]);
  expect(found.truncated).toBe(true);
});

test("when every chunk fails the error of the first is thrown", async () => {
  const { all } = options(names(30), {
    most: 10,
    ask: async (piece) => {
      await new Promise((resolve) => setTimeout(resolve, piece[0] === "site-0.example" ? 20 : 1));
      throw failure(`piece of ${piece[0]}`);
    },
  });
  await expect(bulk(callOf(), all)).rejects.toThrow("piece of site-0.example");
});

test("a bug and the end of the call are not failures of a chunk", async () => {
  const bug = options(names(20), {
    most: 10,
    ask: async (piece) => {
      if (piece.includes("site-0.example")) throw new TypeError("bug");
      return [];
    },
  });
  await expect(bulk(callOf(), bug.all)).rejects.toThrow(TypeError);
  const leaving = new AbortController();
  const left = options(names(20), {
    most: 10,
    ask: async (piece) => {
      if (piece.includes("site-0.example")) return [];
      leaving.abort(new Error("left"));
      throw failure("aborted");
    },
  });
  await expect(bulk(callOf(1000, leaving.signal), left.all)).rejects.toThrow("left");
});
