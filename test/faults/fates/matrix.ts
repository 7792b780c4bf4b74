import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { batchFlows } from "./batch-flows.ts";
import { callFlows } from "./call-flows.ts";
import { Caller } from "./caller.ts";
import { fates } from "./fate.ts";
import type { Flow } from "./flow.ts";
import type { Lane, Target } from "./lane.ts";
import { background, processFlows } from "./process-flows.ts";
import { refusalFlows } from "./refusal-flows.ts";

/** Every round trip of every flow with every fate. */

export const flows: readonly Flow[] = [
  ...processFlows,
  ...callFlows,
  ...batchFlows,
  ...refusalFlows,
];

/** Flow -> round trip -> how often it occurs at each run; 0 where some runs do without it. */
export type RoundTrips = Record<string, Record<string, number>>;

export const listFile = new URL("round-trips.json", import.meta.url);
export const readList = (): RoundTrips => JSON.parse(readFileSync(listFile, "utf8")) as RoundTrips;

/** Further occurrences of a round trip in one run only repeat a look. */
const mostOccurrences = 3;

export interface Combination extends Target {
  flow: Flow;
}

export const nameOf = ({ flow, trip, fate }: Combination): string =>
  `${flow.name} | ${trip} | ${fate}`;

export function combinations(list: RoundTrips): Combination[] {
  return flows.flatMap((flow) =>
    Object.entries(list[flow.name] ?? {}).flatMap(([trip, count]) =>
      Array.from({ length: count }, (_, index) => `${trip} #${index + 1}`).flatMap((numbered) =>
        fates.map((fate) => ({ flow, trip: numbered, fate })),
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
    seen: lane.seen(),
    isReached: lane.isReached,
    ms: Date.now() - startedAt,
  });
  try {
    await flow.run(new Caller(lane, await lane.account(target)));
    await lane.recovered();
    return end();
  } catch (error) {
    const finding = error instanceof Error ? error.message : String(error);
    return { ...end(), finding: [finding, ...lane.warnings(startedAt)].join("\n  ") };
  }
}

/** Round trips of processes on their own also occur in every other flow: they belong to the first one only. */
export const isBackground = (list: RoundTrips, flow: Flow, trip: string): boolean =>
  flow.name !== background && list[background]?.[trip] !== undefined && !flow.also?.includes(trip);

/** Several runs of each flow without a fate: each round trip with the least number of its occurrences. */
export async function record(lane: Lane, runs: number): Promise<RoundTrips> {
  const list: RoundTrips = {};
  for (const flow of flows) {
    const looks: ReadonlyMap<string, number>[] = [];
    for (let count = 0; count < runs; count += 1) {
      const { finding, seen } = await run(lane, flow);
      if (finding !== undefined) throw new Error(`${flow.name} without a fault: ${finding}`);
      looks.push(seen);
    }
    const names = new Set(looks.flatMap((seen) => [...seen.keys()]));
    const most = flow.name === background ? 1 : mostOccurrences;
    list[flow.name] = Object.fromEntries(
      [...names]
        .filter((name) => !isBackground(list, flow, name))
        .sort()
        .map((name) => [name, Math.min(most, ...looks.map((seen) => seen.get(name) ?? 0))]),
    );
  }
  return list;
}
