import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import { inputOf, preferences } from "../areas/preferences.ts";
import { type Answer, type Envelope, Gateway } from "../gateway.ts";
import { requestOf } from "../operations/inputs.ts";
import { choices, seeded } from "../random.ts";
import { type AllUpstreams, type Instead, startAllUpstreams } from "../upstream/all.ts";
import { full } from "./full.ts";

/** One upstream of each pair is out of order under load: its operations are answered by the other one. */

const lanes = full ? 6 : 4;
/** Callers pause between calls, so that the second upstreams' own rate limits are not what fails. */
const pauseMs = full ? 300 : 150;
/** Seconds that upstreams are out of order in all, at full length. */
const outageSeconds = Number(process.env["OUTAGE_SECONDS"] ?? 600);

const pairs = await preferences();
/** Two groups, so that one upstream of each pair is in order. */
const groups = [
  ["x", "x-app", "nominatim", "crossref", "npm", "weibo"],
  ["twitter283", "tikhub"],
] as const;

/** The operations that prefer an upstream of the group. */
const preferring = (group: readonly string[]) =>
  [...pairs].flatMap(([id, [first]]) =>
    first.forms.some(({ name }) => group.includes(name)) ? [operations.get(id) as Operation] : [],
  );

/** Ways to be out of order; an answer of another shape, and none at all, only at full length. */
const ways: Record<string, Instead> = {
  "answers 503": { status: 503, body: { error: "out of order" } },
  "refuses the credential": { status: 401, body: { error: "no" } },
  ...(full
    ? {
        "answers in another shape": { body: { other: true } },
        "does not answer": { silent: true, body: undefined },
      }
    : {}),
};

const eachMs = (outageSeconds * 1000) / (groups.length * Object.keys(ways).length);
/** The outage and what is beside it, in milliseconds. */
const fullTimeoutMs = 480_000 + (full ? outageSeconds * 1000 : 0);
const shift = choices("ways of the second upstreams")(2);

/** The operations that are called while their upstreams are out of order in one way; in `npm test` each in one of both. */
const testedIn = (way: string, all: readonly Operation[]) =>
  full ? all : all.filter((_, at) => (at + shift) % 2 === Object.keys(ways).indexOf(way));

function outOfOrder(group: readonly string[], instead: Instead): void {
  upstream.change = (name) => (group.includes(name) ? instead : undefined);
}

let upstream: AllUpstreams;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await startAllUpstreams();
  gateway = await Gateway.start({ pools: "social", env: upstream.env });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

function send(op: Operation, key: string, more: Record<string, string> = {}) {
  const { path, query, body } = requestOf(op, inputOf(op));
  const filled = op.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(path[name] as string),
  );
  for (const [name, value] of Object.entries(more)) query.set(name, value);
  const options = body === undefined ? {} : { body };
  return gateway.call<Envelope>(key, op.method, `${filled}?${query.toString()}`, options);
}

interface Load {
  answers: Answer<Envelope>[];
  /** Second pages of lists that the second upstream began. */
  pages: number;
}

/** Sends the operations in turn, in `npm test` once; lists are followed to a second page. */
async function load(key: string, tested: readonly Operation[]): Promise<Load> {
  const until = performance.now() + eachMs;
  const result: Load = { answers: [], pages: 0 };
  let next = 0;
  const lane = async () => {
    while (full ? performance.now() < until : next < tested.length) {
      const op = tested[next++ % tested.length] as Operation;
      const answer = await send(op, key);
      result.answers.push(answer);
      const cursor = answer.body?.pagination?.next_cursor;
      if (cursor && op.paginated) {
        result.pages += 1;
        result.answers.push(await send(op, key, { cursor }));
      }
      await sleep(pauseMs);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return result;
}

const askedOf = (name: string) => upstream.calls.get(name) ?? 0;

/** Puts every upstream in order and waits until these are asked again: a rest ends with a probe, after twelve seconds at most. */
async function recover(key: string, names: readonly string[]): Promise<void> {
  upstream.change = () => undefined;
  for (const name of names) {
    const op = preferring([name])[0] as Operation;
    const before = askedOf(name);
    // The first request may be the probe.
    for (let count = 0; count < 60 && askedOf(name) < before + 2; count += 1) {
      await send(op, key);
      await sleep(full ? 400 : 1000);
    }
    expect(askedOf(name), name).toBeGreaterThanOrEqual(before + 2);
  }
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[times.length >> 1] as number;

async function medianOf(op: Operation, key: string): Promise<number> {
  const times: number[] = [];
  for (let count = 0; count < (full ? 200 : 10); count += 1) {
    const from = performance.now();
    expect((await send(op, key)).status).toBe(200);
    times.push(performance.now() - from);
  }
  return median(times);
}

test("a record that the preferred upstream does not have turns nobody", async () => {
  const { key } = await gateway.key({ credits: 1000, rate: 10_000 });
  const user = operations.get("microblog.users.get") as Operation;
  outOfOrder(["x"], { status: 404, body: {} });
  const before = upstream.calls.get("twitter283") ?? 0;
  expect((await send(user, key)).status).toBe(404);
  expect(upstream.calls.get("twitter283") ?? 0).toBe(before);
  upstream.change = () => undefined;
});

test(
  seeded(
    "one upstream of each pair is out of order: 99 % of the calls are answered in the same shape",
  ),
  async () => {
    const { key } = await gateway.key({ credits: 10_000_000, rate: 10_000, inFlight: 100 });
    expect(groups.flatMap(preferring)).toHaveLength(pairs.size);
    const user = operations.get("microblog.users.get") as Operation;
    const usualMs = await medianOf(user, key);
    for (const group of groups.toReversed()) {
      // The other upstream of each pair is in order: it no longer rests from its own turn.
      await recover(key, ["twitter283", "tikhub"]);
      let followed = 0;
      for (const [way, instead] of Object.entries(ways)) {
        outOfOrder(group, instead);
        const { answers, pages } = await load(key, testedIn(way, preferring(group)));
        followed += pages;
        const bad = answers.filter(({ status }) => status !== 200);
        const share = 1 - bad.length / answers.length;
        console.log(
          `${group[0]} ${way}: ${answers.length} calls, ${pages} second pages, ${(share * 100).toFixed(2)} % answered`,
        );
        expect(share, bad[0]?.text).toBeGreaterThanOrEqual(0.99);
      }
      expect(followed).toBeGreaterThan(0);
    }
    // X is known to be out of order by now: calls go straight to the second upstream.
    const askedBefore = upstream.calls.get("x") ?? 0;
    const addedMs = (await medianOf(user, key)) - usualMs;
    const asked = (upstream.calls.get("x") ?? 0) - askedBefore;
    console.log(`known to be out of order: ${addedMs.toFixed(1)} ms added, ${asked} probes`);
    expect(asked).toBeLessThan(5);
    if (full) expect(addedMs).toBeLessThanOrEqual(5);
    expect(await gateway.violations()).toEqual([]);
  },
  fullTimeoutMs,
);

test("the preferred upstream is asked again once it answers, and a list ends where it began", async () => {
  const { key } = await gateway.key({ credits: 100_000, rate: 10_000 });
  const posts = operations.get("microblog.users.posts") as Operation;
  await recover(key, ["x", "twitter283"]);
  outOfOrder(["x", "x-app"], { status: 503, body: {} });
  const page = await send(posts, key);
  expect(page.status, page.text).toBe(200);
  const cursor = page.body.pagination?.next_cursor as string;
  upstream.change = () => undefined;
  const before = upstream.calls.get("twitter283") ?? 0;
  expect((await send(posts, key, { cursor })).status).toBe(200);
  expect(upstream.calls.get("twitter283")).toBeGreaterThan(before);
  await recover(key, ["x"]);
});
