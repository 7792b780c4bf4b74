import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { batchFlows } from "./batch-flows.ts";
import { callFlows } from "./call-flows.ts";
import { Caller } from "./caller.ts";
import { type Fate, fates } from "./fate.ts";
import type { Flow } from "./flow.ts";
import type { Lane } from "./lane.ts";
import { crawlFlows } from "./crawl-flows.ts";
import { operatorFlows } from "./operator-flows.ts";
import { pairFlows } from "./pair-flows.ts";
import { background, processFlows } from "./process-flows.ts";
import { programFlows } from "./program-flows.ts";
import { refusalFlows } from "./refusal-flows.ts";
import type { Target } from "./relays.ts";

/** Every round trip of every flow with every fate. */

export const flows: readonly Flow[] = [
  ...processFlows,
  ...callFlows,
  ...batchFlows,
  ...crawlFlows,
  ...refusalFlows,
  ...pairFlows,
  ...programFlows,
  ...operatorFlows,
];

/** Flow -> round trip -> how often it occurs at each run; 0 where some runs do without it. */
export type RoundTrips = Record<string, Record<string, number>>;

export const listFile = new URL("round-trips.json", import.meta.url);
export const readList = (): RoundTrips => JSON.parse(readFileSync(listFile, "utf8")) as RoundTrips;

/** Further occurrences of a round trip in one run only repeat a look. */
const mostOccurrences = 3;
/** Longer than the longest pause of a timer of processes without work. */
const longestPauseMs = 25_000;

export interface Combination extends Target {
  flow: Flow;
  /** Some runs of the flow do without the round trip. */
  isRare: boolean;
}

export const nameOf = ({ flow, trip, fate }: Combination): string =>
  `${flow.name} | ${trip} | ${fate}`;

/** A message that a store sends unasked has no request. */
const fatesOf = (trip: string): readonly Fate[] =>
  / (messaged|subscribed) /.test(trip)
    ? fates.filter((fate) => !fate.startsWith("request"))
    : fates;

export function combinations(list: RoundTrips): Combination[] {
  return flows.flatMap((flow) =>
    Object.entries(list[flow.name] ?? {}).flatMap(([name, count]) =>
      Array.from({ length: Math.max(1, count) }, (_, index) => `${name} #${index + 1}`).flatMap(
        (trip) => fatesOf(name).map((fate) => ({ flow, trip, fate, isRare: count === 0 })),
      ),
    ),
  );
}

/** In the order of a seed. */
export function shuffled(all: readonly Combination[], seed: string): Combination[] {
  const rank = (one: Combination) =>
    createHash("sha1")
      .update(`${seed} ${nameOf(one)}`)
      .digest("hex");
  return all
    .map((one) => ({ one, rank: rank(one) }))
    .sort((left, right) => (left.rank < right.rank ? -1 : 1))
    .map(({ one }) => one);
}

export interface Outcome {
  /** Round trips of the run, by name. */
  seen: ReadonlyMap<string, number>;
  isReached: boolean;
  ms: number;
  /** Which answer is untrue, or which state has no end. */
  finding?: string;
}

/** One run of a flow, with a fate or without one. */
export async function run(lane: Lane, flow: Flow, target?: Target): Promise<Outcome> {
  const startedAt = Date.now();
  const end = () => ({
    seen: lane.relays.seen(),
    isReached: lane.relays.isReached,
    ms: Date.now() - startedAt,
  });
  try {
    await lane.run(flow.processes ?? 1);
    await flow.run(new Caller(lane, await lane.account(flow.mode ?? "test", target)));
    await lane.recovered();
    return end();
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    return { ...end(), finding: [finding, ...lane.warnings(startedAt)].join("\n  ") };
  }
}

/** Each API process does by itself what the first one does. */
const ofFirst = (trip: string): string => trip.replace(/^other /, "api ");

/** Round trips at intervals about earlier work: any later flow may meet them. */
const delayed = new Set([
  "api postgres tell_stories",
  "api postgres update api_keys",
  "api redis hexists queue:meta",
  "api redis incrby limits:door:*:live",
  "api redis incrby limits:door:*:test",
  "api redis multi hincrby calls:*",
  "api redis multi lpush errors:queue",
  "api redis pexpire limits:door:*:live",
  "api redis pexpire limits:door:*:test",
  "api redis script metrics:totals",
  "api redis script refused:*",
  "api redis script room",
  "worker redis hget drift",
  "worker redis multi hincrby times:queue:fine:*",
  "worker redis script drift",
  "worker redis script metrics:totals",
]);

/** Round trips of processes on their own occur in every flow: they belong to one only. */
const isBackground = (list: RoundTrips, flow: Flow, trip: string): boolean =>
  !flow.also?.includes(trip) &&
  (delayed.has(ofFirst(trip)) ||
    (flow.name !== background && list[background]?.[ofFirst(trip)] !== undefined));

type Seen = ReadonlyMap<string, number>;

/** Repeated looks and renewals: whether and how often a flow meets them depends on the time that it takes. */
const timed = new Set([
  "api postgres from api_keys, from accounts, from balances",
  "api redis bullmq removeJob",
  "api redis get result:*",
  "api redis hget queue:*",
  "api redis messaged batches",
  "api redis publish batches",
  "api redis script result:*",
  "worker redis bullmq extendLocks",
]);

/** Round trips of a run that its flow's list does not have. */
export function unlisted(list: RoundTrips, flow: Flow, seen: Seen): string[] {
  const names = list[flow.name] ?? {};
  return [...seen.keys()].filter(
    (trip) =>
      names[trip] === undefined && !timed.has(ofFirst(trip)) && !isBackground(list, flow, trip),
  );
}

/** Round trips of a flow's list that a run met less often. */
export function absent(list: RoundTrips, flow: Flow, seen: Seen): string[] {
  return Object.entries(list[flow.name] ?? {}).flatMap(([trip, count]) =>
    (seen.get(trip) ?? 0) < count && !timed.has(ofFirst(trip)) ? [`${trip} #${count}`] : [],
  );
}

/** Round trips that processes send by themselves, less often than a flow lasts. */
async function seldom(lane: Lane): Promise<Seen> {
  await lane.run(1);
  await lane.account("test");
  lane.watch();
  await sleep(longestPauseMs);
  return lane.relays.seen();
}

/** The list after several runs of some flows: each round trip with the least number of its occurrences. */
export function listOf(runs: ReadonlyMap<Flow, readonly Seen[]>): RoundTrips {
  const list = readList();
  for (const [flow, looks] of runs) {
    const most = flow.name === background ? 1 : mostOccurrences;
    const names = new Set(looks.flatMap((seen) => [...seen.keys()]));
    list[flow.name] = Object.fromEntries(
      [...names]
        .filter((name) => !isBackground(list, flow, name))
        .sort()
        .map((name) => [name, Math.min(most, ...looks.map((seen) => seen.get(name) ?? 0))]),
    );
  }
  return list;
}

/** Runs a flow without a fate for the list; a sentence where it failed. */
export async function look(lane: Lane, flow: Flow, isFirst: boolean): Promise<Seen[] | string> {
  const { finding, seen } = await run(lane, flow);
  if (finding !== undefined) return `${flow.name} without a fault: ${finding}`;
  if (flow.name !== background || !isFirst) return [seen];
  const rare = [...(await seldom(lane))].filter(([name]) => !seen.has(name));
  return [seen, new Map([...seen, ...rare])];
}
