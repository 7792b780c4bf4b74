import { expect, test } from "vitest";
import { type Key, kindOf, lostBeats, unbounded } from "./keys.ts";
import { limits } from "./limits.ts";
import { type Answered, type Reading, grown, leftAtRest, unexplained } from "./verdict.ts";

const minute = 60_000;
const megabyte = 1_000_000;

/** Twenty minutes of readings every 10 s, with a varying load on top. */
function series(valueAt: (minutes: number) => number, load: number): Reading[] {
  return Array.from({ length: 120 }, (_, index) => ({
    at: index * 10_000,
    value: valueAt(index / 6) + load * Math.abs(Math.sin(index * 1.7)),
  }));
}

const judge = (figure: string, readings: Reading[]) =>
  grown(new Map([[`steady worker ${figure}`, readings]]), limits.underLoad);

test("a figure that only follows the load is not growth", () => {
  expect(
    judge(
      "files",
      series(() => 60, 80),
    ),
  ).toEqual([]);
  expect(
    judge(
      "heap",
      series(() => 40 * megabyte, 30 * megabyte),
    ),
  ).toEqual([]);
});

test("a file left open every minute is found", () => {
  expect(
    judge(
      "files",
      series((minutes) => 60 + Math.floor(minutes), 80),
    ),
  ).toHaveLength(1);
});

test("a heap that grows by 2 MB a minute is found", () => {
  const leaking = series((minutes) => (40 + 2 * minutes) * megabyte, 30 * megabyte);
  expect(judge("heap", leaking)).toHaveLength(1);
});

test("a file left open every minute is found at rest, and one browser context too many", () => {
  const before = new Map([
    ["steady api files", 40],
    ["browser contexts", 4],
  ]);
  const same = leftAtRest(before, before, limits.atRest);
  expect(same).toEqual([]);
  const after = new Map([
    ["steady api files", 60],
    ["browser contexts", 5],
  ]);
  expect(leftAtRest(before, after, limits.atRest)).toHaveLength(2);
});

test("a series that was never read proves nothing", () => {
  expect(judge("files", [])).toHaveLength(1);
  const nothing = new Map<string, number>();
  const after = new Map([["steady api files", 40]]);
  expect(leftAtRest(nothing, after, limits.atRest)).toHaveLength(1);
});

const keys: Key[] = [
  { name: "gateway:social:svc_1", ttlMs: -1, size: 12 },
  { name: "gateway:social:completed", ttlMs: -1, size: 1000 },
  { name: "gateway:social:events", ttlMs: -1, size: 1050 },
  { name: "gateway:result:svc_1", ttlMs: 1000, size: 1 },
  { name: "gateway:workers:seo-bulk", ttlMs: -1, size: 2 },
];
const finished = new Set(["gateway:social:svc_1"]);

test("keys that expire, stay by design or belong to a kept job are bounded", () => {
  expect(unbounded(keys, finished)).toEqual([]);
});

test.each<Key>([
  { name: "gateway:result:svc_2", ttlMs: -1, size: 1 },
  { name: "gateway:social:svc_2", ttlMs: -1, size: 12 },
  { name: "gateway:social:svc_1:lock", ttlMs: -1, size: 1 },
  { name: "gateway:seo:active", ttlMs: -1, size: 1 },
  { name: "gateway:seo:failed", ttlMs: -1, size: 1001 },
  { name: "gateway:limits:flight:key", ttlMs: -1, size: 3 },
])("$name without an expiry is found", (extra) => {
  expect(unbounded([...keys, extra], finished)).toHaveLength(1);
});

test("keys of a kind have one name", () => {
  const kinds = keys.map(({ name }) => kindOf(name));
  expect(kinds).toEqual(["job", "queue completed", "queue events", "result", "workers:seo-bulk"]);
});

test("a heartbeat that is never removed is found", () => {
  const beat = (at: number) => JSON.stringify({ at, slots: 4, running: 0, mean_run_ms: 1 });
  const beats = {
    alive: beat(20 * minute),
    killed: beat(19 * minute),
    forgotten: beat(5 * minute),
  };
  expect(lostBeats(beats, 20 * minute)).toEqual(["forgotten: silent for 900 s"]);
});

const expected = new Map([
  ["page", [200]],
  ["bad input", [400]],
]);
const call = (change: Partial<Answered>): Answered => ({
  kind: "page",
  api: "a",
  startedAt: 10 * minute,
  endedAt: 10 * minute + 500,
  status: 200,
  ...change,
});
const excuse = {
  fault: "Redis restarted",
  from: 9 * minute,
  to: 10 * minute,
  statuses: [503, 500],
  kinds: ["page"],
  api: "a",
};
const judged = (change: Partial<Answered>) => unexplained([call(change)], expected, [excuse]);

test("a status is explained by its kind, or by a fault during the call", () => {
  expect(judged({})).toEqual([]);
  expect(judged({ kind: "bad input", status: 400 })).toEqual([]);
  expect(judged({ status: 503 })).toEqual([]);
});

test.each<[string, Partial<Answered>]>([
  ["a status no fault explains", { status: 504 }],
  ["500, whatever the fault", { status: 500 }],
  ["a call after the fault", { status: 503, startedAt: 11 * minute, endedAt: 11 * minute }],
  ["a call before the fault", { status: 503, startedAt: 8 * minute, endedAt: 8 * minute }],
  ["another kind", { status: 503, kind: "bad input" }],
  ["another process", { status: 503, api: "b" }],
  ["an unknown kind", { kind: "odd" }],
])("%s is unexplained", (_what, change) => {
  expect(judged(change)).toHaveLength(1);
});
