import { expect, test } from "vitest";
import { buildText, thisProcess } from "../../../runtime/build.ts";
import { callCountsField } from "../../../runtime/call-counts.ts";
import { pools } from "../../../contract/operation.ts";
import type { ErrorType } from "../../../contract/errors.ts";
import type { Reading } from "../../../dashboards/metrics.ts";
import { type QueueName, jobStates } from "../../../dashboards/state.ts";
import { hourOf } from "../../../dashboards/status/calls.ts";
import type { StatusFacts, StoredFacts } from "../../../dashboards/status/facts.ts";
import { RecentRefusals, type Refusal } from "../../../dashboards/status/recent.ts";
import { FirstSeen } from "../../../dashboards/status/since.ts";
import { troublesOf } from "../../../dashboards/status/troubles.ts";

/** The first line of the overview: each trouble that an operator must hear of, and none on a quiet gateway. */

const now = Date.UTC(2026, 0, 5, 12, 0, 30);

const queue = <Name extends QueueName>(pool: Name) => ({
  pool,
  jobs: Object.fromEntries(jobStates.map((state) => [state, 0])) as Reading["webhooks"]["jobs"],
  oldestWaitingSeconds: 0,
  workers: 1,
  slots: 4,
  running: 0,
  beats: [],
});

const quiet = (): Reading => ({
  at: now,
  pools: pools.map((pool) => queue(pool)),
  webhooks: queue("webhooks"),
  redis: {
    processorSeconds: 0,
    usedBytes: 10e6,
    limitBytes: 100e6,
    keys: 1,
    clients: 1,
    appendOnly: true,
    noEviction: true,
    warnings: [],
  },
  published: {
    totals: {},
    processes: [{ role: "api", memoryBytes: 1, gauges: {}, about: thisProcess }],
  },
});

const stored = (): StoredFacts => ({
  controls: [],
  today: { totals: [], accounts: [] },
  busiest: [],
  cost: { dollars: 0, requests: 0 },
  webhooks: { due: 0, oldestSeconds: 0, later: 0, failingEndpoints: 0, failingSince: null },
  canaries: [],
  planned: { batches: 0, items: 0, jobs: 0 },
});

const facts = (change: Partial<StatusFacts> = {}): StatusFacts => ({
  now,
  reading: quiet(),
  hour: hourOf([]),
  capacity: undefined,
  settings: {},
  refusals: [],
  span: "hour",
  history: undefined,
  reportedLeft: {},
  changed: new Map(),
  stored: stored(),
  ...change,
});

const canary = (verdict: string, agoMs: number) => ({
  day: "2026-01-05",
  operation: "shortclip.search",
  at: now - agoMs,
  upstreams: ["tikhub"],
  routes: [],
  verdict,
  fault: null,
  cause: null,
  paths: [],
  ms: 1,
  dollars: 0,
});

const lines = (change: Partial<StatusFacts>) =>
  troublesOf(facts(change)).map(({ level, text }) => `${level}: ${text}`);

function withReading(edit: (reading: Reading) => void): Partial<StatusFacts> {
  const reading = quiet();
  edit(reading);
  return { reading };
}

test("a quiet gateway has no troubles", () => {
  expect(lines({})).toEqual([]);
});

test.each([
  ["Redis is away", { reading: undefined }, "bad: Redis does not answer, so no call is taken"],
  [
    "Redis is full",
    withReading(({ redis }) => (redis.usedBytes = 91e6)),
    "bad: Redis is full (86.8 MB of 95.4 MB), so new calls are refused",
  ],
  [
    "Redis is nearly full",
    withReading(({ redis }) => (redis.usedBytes = 85e6)),
    "warn: Redis is nearly full (81.1 MB of 95.4 MB): new calls are refused from 90 % on",
  ],
  ["Postgres is away", { stored: "away" as const }, "bad: Postgres does not answer"],
  [
    "no API process",
    withReading(({ published }) => (published.processes = [])),
    "bad: no API process reports",
  ],
  [
    "no worker",
    withReading((reading) => {
      for (const one of reading.pools) if (one.pool === "serp") one.workers = 0;
    }),
    "bad: no worker of the pool serp reports",
  ],
  [
    "a long wait",
    withReading((reading) => {
      for (const one of reading.pools) if (one.pool === "seo") one.oldestWaitingSeconds = 90;
    }),
    "bad: the oldest call of the pool seo waits for 90 s",
  ],
  [
    "an open breaker",
    withReading(({ published }) =>
      published.processes.push({
        role: "worker",
        memoryBytes: 1,
        about: thisProcess,
        gauges: { '["gateway_upstream_breaker_open","tikhub"]': 1 },
      }),
    ),
    "bad: the circuit breaker of tikhub is open in 1 worker",
  ],
  [
    "a clock",
    withReading(({ published }) =>
      published.processes.push({
        role: "worker",
        memoryBytes: 1,
        about: thisProcess,
        gauges: { '["gateway_clock_skew_seconds","one-7","redis"]': 40 },
      }),
    ),
    "warn: the clock of one-7 is 40 s ahead of redis",
  ],
  ["a used quota", { reportedLeft: { x: 0, reddit: 5 } }, "bad: x reports no calls left"],
  [
    "changed answers",
    { changed: new Map([["tikhub", { findings: 3, operations: ["a.b", "a.c"], first: now }]]) },
    "warn: answers of tikhub have changed (3 fields of 2 operations)",
  ],
  [
    "a daily call that failed",
    { stored: { ...stored(), canaries: [canary("fails", 3_600_000), canary("works", 0)] } },
    "warn: the daily call of 1 operation failed (tikhub)",
  ],
  [
    "webhooks wait",
    { stored: { ...stored(), webhooks: { ...stored().webhooks, due: 3, oldestSeconds: 120 } } },
    "bad: the oldest due webhook waits for 2 min",
  ],
])("%s: the first line says so", (_name, change, line) => {
  expect(lines(change)).toEqual([line]);
});

test("a wait above the target is told once enough calls have waited", () => {
  const capacity = (calls: number, p95: number) => {
    const wait = { measured_p95_ms: p95, measured_calls: calls };
    const one = { target_p95_wait_ms: 500, wait, walls: [] };
    const all = Object.fromEntries(pools.map((pool) => [pool, one]));
    return { at: "", state: "measured", pools: all } as unknown as StatusFacts["capacity"];
  };
  expect(lines({ capacity: capacity(19, 900) })).toEqual([]);
  expect(lines({ capacity: capacity(100, 500) })).toEqual([]);
  expect(lines({ capacity: capacity(20, 900) })).toContain(
    "warn: calls of the pool serp wait 900 ms at p95, above the target of 500 ms",
  );
});

test("a pool without workers is no trouble where none is planned, and a full Redis hides no reports", () => {
  const none = (reading: Reading) => {
    for (const one of reading.pools) one.workers = 0;
  };
  const settings = Object.fromEntries(pools.map((pool) => [pool, { floor: 0, targetMs: 500 }]));
  expect(lines({ ...withReading(none), settings })).toEqual([]);
  const full = withReading((reading) => {
    none(reading);
    reading.published.processes = [];
    reading.redis.usedBytes = reading.redis.limitBytes;
  });
  expect(lines(full)).toEqual([expect.stringContaining("Redis is full")]);
});

test("a mixed fleet is told, with the processes of each version", () => {
  const mixed = withReading(({ published }) => {
    const about = { ...thisProcess, version: "0.1.0", commit: undefined };
    published.processes.push({ role: "worker", memoryBytes: 1, gauges: {}, about });
  });
  expect(lines(mixed)).toEqual([
    `warn: processes run 2 different versions (${buildText(thisProcess)}: 1 api, 1 dashboards; 0.1.0: 1 worker)`,
  ]);
});

test("decisions in force are told with the time of the decision, stops before limits", () => {
  const row = { id: 1, at: new Date(now - 60_000), who: "o", why: "w", until: null };
  const controls = [
    { ...row, kind: "account", target: "acme", effect: "cap", perMinute: 60 },
    { ...row, kind: "pool", target: "serp", effect: "drain", perMinute: null },
  ];
  const found = troublesOf(facts({ stored: { ...stored(), controls } }));
  expect(found.map(({ level, text, since }) => [level, text, since])).toEqual([
    ["bad", "the pool serp is drained", now - 60_000],
    ["warn", "the account acme is capped: at most 60 a minute", now - 60_000],
  ]);
});

const minute = Math.floor(now / 60_000);
const ended = (mode: string, counts: Partial<Record<ErrorType | "ok", number>>, ago = 0) => ({
  minute: minute - ago,
  counts: Object.fromEntries(
    Object.entries(counts).map(([end, count]) => [
      callCountsField({ mode, pool: "serp", end: end as ErrorType }),
      String(count),
    ]),
  ),
});

test("failed calls: live ones are wrong, faults of callers a warning, test calls wake nobody", () => {
  const hour = (...minutes: Parameters<typeof hourOf>[0]) => ({ hour: hourOf(minutes) });
  const failed = hour(
    ended("live", { upstream_error: 12, ok: 11 }),
    ended("live", { upstream_unavailable: 8 }, 3),
  );
  expect(troublesOf(facts(failed))).toEqual([
    {
      key: "failed live",
      level: "bad",
      text: "20 of 31 live calls of the last hour failed in serp (upstream_error 12, upstream_unavailable 8)",
      since: (minute - 3) * 60_000,
      href: "/calls?status=5xx&mode=live&hours=1",
    },
  ]);
  // One in a thousand is worth knowing, and no more.
  expect(lines(hour(ended("live", { upstream_error: 1, ok: 999 })))[0]).toMatch(
    /^info: 1 of 1000 /,
  );
  expect(lines(hour(ended("live", { internal_error: 1, ok: 999 })))[0]).toMatch(/^bad: 1 of 1000 /);
  expect(lines(hour(ended("live", { validation_error: 3, ok: 1 })))).toEqual([]);
  expect(lines(hour(ended("live", { insufficient_credits: 30, ok: 60 })))).toEqual([
    "warn: 30 of 90 live calls of the last hour were refused in serp (insufficient_credits 30)",
  ]);
  expect(lines(hour(ended("test", { upstream_error: 20 })))).toEqual([
    "info: 20 of 20 test calls of the last hour failed in serp (upstream_error 20)",
  ]);
  expect(lines(hour(ended("none", { unauthorized: 500 })))).toEqual([]);
});

test("upstreams that refuse the gateway are told for an hour, by the rise of their counter", () => {
  const refusals = new RecentRefusals();
  const field = '["gateway_operator_alerts_total","tikhub","credential"]';
  const at = (minutes: number) => now + minutes * 60_000;
  refusals.note({ [field]: "7" }, at(0));
  expect(refusals.list()).toEqual([]);
  refusals.note({ [field]: "9" }, at(5));
  refusals.note({ [field]: "10" }, at(5.5));
  const [one] = refusals.list();
  expect(one).toMatchObject({ upstream: "tikhub", reason: "credential", times: 3 });
  expect(lines({ refusals: refusals.list() })).toEqual([
    "bad: tikhub refuses our account (credential, 3 times within the last hour)",
  ]);
  const [unreached] = [{ ...one, reason: "address" } as Refusal];
  expect(lines({ refusals: [unreached] })[0]).toMatch(/^bad: the workers cannot reach tikhub: /);
  refusals.note({ [field]: "10" }, at(30));
  expect(refusals.list()).toHaveLength(1);
  refusals.note({ [field]: "10" }, at(66));
  refusals.note({ [field]: "10" }, at(91));
  expect(refusals.list()).toEqual([]);
});

test("a trouble keeps its first time until a whole look no longer finds it", () => {
  const seen = new FirstSeen();
  seen.note(["a"], 1);
  seen.note(["a", "b"], 2);
  expect([seen.of("a"), seen.of("b")]).toEqual([
    { at: 1, orEarlier: true },
    { at: 2, orEarlier: false },
  ]);
  seen.note([], 3, true);
  expect(seen.of("b")?.at).toBe(2);
  seen.note(["a"], 4);
  expect(seen.of("b")).toBeUndefined();
  seen.note(["b"], 5);
  expect(seen.of("b")?.at).toBe(5);
});
