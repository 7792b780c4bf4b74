import { writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../gateway.ts";
import { seeded } from "../random.ts";
import { Background } from "./background.ts";
import { ageHolds, backgroundOpen, bookFaults, released } from "./books.ts";
import { deliveryFaults, registerEndpoints } from "./deliveries.ts";
import { runFault, faultsOn } from "./faults.ts";
import { heartbeatKey } from "../../runtime/redis/keys.ts";
import { pools } from "../../contract/operation.ts";
import { lostBeats, unbounded } from "./keys.ts";
import { kindsOf } from "./kinds.ts";
import { limits } from "./limits.ts";
import { hasProc } from "./machine.ts";
import { capacity, hold } from "./pace.ts";
import { report } from "./report.ts";
import { Sampler, keysOf } from "./sampler.ts";
import { outcomesOf } from "./outcomes.ts";
import { type Stage, openStage } from "./stage.ts";
import { type Client, Traffic } from "./traffic.ts";
import { type Excuse, grown, leftAtRest, unexplained } from "./verdict.ts";

const seconds = Number(process.env["SOAK_SECONDS"] ?? 8);
/** A long soak waits for deadlines and expiries; a short one subtracts unfinished work. */
const isLong = seconds >= 120;
const faultEveryMs = isLong ? 30_000 : 4000;
const sampleEveryMs = isLong ? 10_000 : 3000;
const capacitySeconds = isLong ? 20 : 1;
/** Idle connections close within this time, those to upstreams after 4 s. */
const restMs = isLong ? 75_000 : 5000;
/** Figures may take longer to fall on a busy machine. */
const mostRestMs = isLong ? 75_000 : 20_000;
const expiryMs = 240_000;
const share = 0.5;
/** A short soak leaves most of the machine to other tests: it has few callers and these calls a second. */
const lanes = isLong ? { browser: 4, calls: 12 } : { browser: 4, calls: 4 };
const most = isLong ? { browser: Infinity, calls: Infinity } : { browser: 2, calls: 15 };
/** Jobs, batches and tasks a second, some of them with requests of their own. */
const backgroundRate = isLong ? 3 : 2;
/** No job, batch or delivery stays open for longer once all is healthy. */
const openMs = 120_000;
const credits = 100_000_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(isLong ? { ownPostgres: true } : { graceMs: 1000, shorter: ["metrics"] });
});
afterAll(() => stage?.stop());

async function client(mode: "live" | "test", balance: number): Promise<Client> {
  const { key, accountId } = await stage.gateway.key({
    mode,
    credits: balance,
    // At the end all results are read as fast as they come.
    rate: 10_000,
  });
  return { account: accountId, key };
}

/** Enough for a soak's load, even while answers are late, with the limits of any account. */
const clientsOf = (mode: "live" | "test") =>
  Promise.all(Array.from({ length: 10 }, () => client(mode, credits)));

/**
 * Closes the idle connections of this process's `fetch`: the API keeps them for up to 65 s, and how many there
 * are says how many calls once ran side by side.
 */
async function closeIdleConnections(): Promise<void> {
  const name = Symbol.for("undici.globalDispatcher.1");
  const holder = globalThis as unknown as Record<symbol, { close(): Promise<void> }>;
  const used = holder[name];
  if (used === undefined) return;
  holder[name] = Reflect.construct(used.constructor, []) as typeof used;
  await used.close();
}

/** The figures once they are as before, or after the time that they have for it. */
async function restAfter(
  sampler: Sampler,
  before: Map<string, number>,
): Promise<Map<string, number>> {
  before.set("processes orphans", 0);
  for (const end = Date.now() + mostRestMs; ; await sleep(500)) {
    const after = await sampler.readAtRest();
    after.set("processes orphans", await sampler.orphans());
    if (Date.now() > end || leftAtRest(before, after, limits.atRest).length === 0) return after;
  }
}

const say = (line: string) =>
  console.log(`soak, ${(performance.now() / 1000).toFixed(1)} s: ${line}`);

test(
  seeded(
    `mixed traffic for ${seconds} s with a fault every ${faultEveryMs / 1000} s leaves nothing behind`,
  ),
  async () => {
    if (!hasProc) say("OPEN FILES AND SOCKETS ARE NOT COUNTED: this system has no /proc");
    const clients = {
      live: await clientsOf("live"),
      test: await clientsOf("test"),
      poor: await client("live", 0),
    };
    const traffic = new Traffic(stage.gateway);
    const submitters = await clientsOf("test");
    await registerEndpoints(stage, submitters);
    const background = new Background(traffic, submitters);
    const kinds = [...kindsOf(clients, stage.origin.url), ...background.kinds()];
    const sampler = new Sampler(stage);
    const group = (name: string) => kinds.filter((kind) => kind.group === name);

    // Every worker has its threads for Markdown, which start on demand, before the first reading.
    const markdown = kinds.filter(({ name }) => name === "browser.markdown");
    // A first job opens the way of webhooks.
    const first = background.kinds().slice(0, 1);
    await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        [...markdown, ...first].map((kind) => kind.run(traffic, at)),
      ).flat(),
    );
    const [pages, calls] = await Promise.all([
      capacity(traffic, group("browser"), lanes.browser, capacitySeconds),
      capacity(traffic, group("calls"), lanes.calls, capacitySeconds),
    ]);
    const rates = {
      browser: Math.min(pages * share, most.browser),
      calls: Math.min(calls * share, most.calls),
    };
    say(
      `capacity ${pages.toFixed(1)} pages and ${calls.toFixed(0)} other calls a second together; ` +
        `held: ${rates.browser.toFixed(1)} and ${rates.calls.toFixed(0)}`,
    );
    await closeIdleConnections();
    await sleep(restMs);
    const before = await sampler.readAtRest();
    say("at rest before the traffic");

    const stopped = new AbortController();
    const end = Date.now() + seconds * 1000;
    const driven = [
      hold(traffic, group("browser"), rates.browser, stopped.signal),
      hold(traffic, group("calls"), rates.calls, stopped.signal),
      hold(traffic, group("background"), backgroundRate, stopped.signal),
    ];
    const excuses: Excuse[] = [];
    const nemesis = async () => {
      const rotation = faultsOn(stage, traffic);
      for (let count = 0; ; count += 1) {
        const due = end - seconds * 1000 + (count + 0.5) * faultEveryMs;
        if (due > end - faultEveryMs / 2) return;
        await sleep(Math.max(0, due - Date.now()));
        const fault = rotation[count % rotation.length] as (typeof rotation)[number];
        say(`${fault.name}, ${traffic.running} calls in flight`);
        excuses.push(await runFault(fault, kinds));
      }
    };
    const watch = async () => {
      while (Date.now() < end) {
        const due = Date.now() + sampleEveryMs;
        await sampler.sample();
        await sleep(Math.max(0, Math.min(due, end) - Date.now()));
      }
    };
    try {
      await Promise.all([nemesis(), watch()]);
    } finally {
      stopped.abort();
    }
    await Promise.all(driven);
    say("the traffic has ended");

    const open = await backgroundOpen(stage, openMs);
    if (!isLong) await ageHolds(stage);
    const held = await released(stage, isLong ? expiryMs : 120_000);
    await closeIdleConnections();
    say(`${open.length} jobs, batches and deliveries open, ${held} credits held`);
    const after = await restAfter(sampler, before);
    say("at rest after the traffic");
    if (leftAtRest(before, after, limits.atRest).length > 0)
      for (const [name, { inspector }] of Object.entries(stage.steady))
        say(`timers of the steady ${name}: ${JSON.stringify(await inspector.timers(), null, 2)}`);
    const results = async () =>
      (await keysOf(stage)).filter(({ name }) => name.startsWith("gateway:result:")).length;
    if (isLong) {
      await until(async () => (await results()) === 0, expiryMs).catch(() => undefined);
    }
    const unexpired = isLong ? await results() : 0;
    const keys = await keysOf(stage);
    const beats = await Promise.all(
      pools.map(async (pool) =>
        lostBeats(await stage.redis.hgetall(heartbeatKey(pool)), Date.now()),
      ),
    );
    const finished = new Set<string>();
    for (const { name } of keys) {
      const queue = /^(.+):(?:completed|failed)$/.exec(name)?.[1];
      if (queue === undefined) continue;
      for (const id of await stage.redis.zrange(name, "0", "-1")) finished.add(`${queue}:${id}`);
    }
    const faults = excuses.map(({ fault }) => fault);
    const expected = new Map(kinds.map((kind) => [kind.name, kind.expected]));
    // Their answers belong to the history of money.
    const outcomes = await outcomesOf(stage, background);
    const submitted = [...background.unanswered, ...outcomes.attempts];
    say(`${background.jobs.length} jobs and ${background.batches.length} batches accepted`);
    const violations = {
      statuses: unexplained(traffic.seen, expected, excuses),
      books: [
        ...(held === 0 ? [] : [`${held} credits still held`]),
        ...[...traffic.unresolved].map((key) => `key ${key}: never answered for good`),
        ...(await bookFaults(stage, traffic.seen, submitted)),
      ],
      background: [...open, ...outcomes.found, ...deliveryFaults(stage, background)],
      // In half a minute code is still being compiled, and only calls in flight show.
      growth: isLong ? grown(sampler.steady(), limits.underLoad) : [],
      rest: leftAtRest(before, after, limits.atRest),
      keys: [
        ...(unexpired === 0 ? [] : [`${unexpired} results have not expired`]),
        ...unbounded(keys, finished),
        ...beats.flat(),
      ],
    };
    const summary = report({
      seconds,
      rates,
      faults,
      seen: traffic.seen,
      sampler,
      before,
      after,
      violations,
    });
    say(`\n${summary.text}`);
    const file = process.env["SOAK_JSON"];
    if (file) await writeFile(file, `${JSON.stringify(summary.json, null, 2)}\n`);

    expect(faults.length).toBeGreaterThanOrEqual(Math.floor(seconds / (faultEveryMs / 1000)) - 1);
    const answered = new Set(traffic.seen.map(({ kind }) => kind));
    // A gateway that does nothing leaves nothing behind either.
    expect(traffic.seen.filter(({ status }) => status === 200).length).toBeGreaterThan(seconds);
    if (isLong) expect([...expected.keys()].filter((kind) => !answered.has(kind))).toEqual([]);
    expect(violations).toEqual({
      statuses: [],
      books: [],
      background: [],
      growth: [],
      rest: [],
      keys: [],
    });
  },
  (seconds + 900) * 1000,
);
