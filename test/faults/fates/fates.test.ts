import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { full } from "../full.ts";
import { Campaign, type Work, inLanes } from "./campaign.ts";
import type { Flow } from "./flow.ts";
import { found, isKnown } from "./known.ts";
import { Lane } from "./lane.ts";
import {
  type Combination,
  combinations,
  flows,
  listFile,
  listOf,
  look,
  nameOf,
  readList,
  run,
  shuffled,
} from "./matrix.ts";

/** Every round trip of each flow with every fate, under `npm run test:faults`; elsewhere a seed selects some. */

const lanes = Number(process.env["FATES_LANES"] ?? (full ? 4 : 2));
const seed = process.env["FATES_SEED"] ?? String(Date.now());
/** Beginnings of names, with semicolons between them: all combinations named so run, and no other. */
const only = process.env["FATES_ONLY"]?.split(";");
/** Combinations, in the order of the seed, that an earlier run of the same seed has done. */
const from = Number(process.env["FATES_FROM"] ?? 0);
/** Runs of each chosen flow from which its list is written anew. */
const recordings = Number(process.env["FATES_RECORD"] ?? 0);
/** Combinations that a seed selects for `npm test`: each costs a second of a processor. */
const shortCount = 12;
/** Of a few combinations. */
const mostMissed = 3;

const isChosen = (name: string) => only?.some((start) => name.startsWith(start)) ?? true;
/** The combinations that a seed selects for `npm test`, and those that have found a fault. */
function share(all: readonly Combination[]): Combination[] {
  const sure = shuffled(
    all.filter((one) => !one.isRare && !isKnown(one.trip, one.fate)),
    seed,
  );
  const selected = sure.slice(0, shortCount);
  return sure.filter((one) => selected.includes(one) || found.includes(nameOf(one)));
}

const nothing = () => Promise.resolve();

test.runIf(recordings > 0)("the list is written", async () => {
  const looks = new Map<Flow, ReadonlyMap<string, number>[]>(
    flows.filter(({ name }) => isChosen(name)).map((flow) => [flow, []]),
  );
  const works = Array.from({ length: recordings }, (_, count) =>
    [...looks].map(([flow, seen]): Work => async (lane) => {
      seen.push(...(await look(lane, flow, count === 0)));
      return true;
    }),
  );
  await inLanes(lanes, works.flat(), nothing);
  writeFileSync(listFile, `${JSON.stringify(listOf(looks), null, 2)}\n`);
});

test.runIf(recordings === 0)(
  "what callers are told is true, whatever becomes of a round trip",
  async () => {
    const list = readList();
    const all = combinations(list).filter((one) => isChosen(nameOf(one)));
    const chosen = full || only ? shuffled(all, seed).slice(from) : share(all);
    const campaign = new Campaign(list);
    const works: Work[] = [
      ...(full && !only
        ? flows.map((flow) => (lane: Lane) => campaign.withoutFate(lane, flow))
        : []),
      ...chosen.map((one) => (lane: Lane) => campaign.withFate(lane, one)),
    ];
    await inLanes(lanes, works, async (lane) => {
      if (!full) await lane.expireHolds();
      await campaign.books(lane);
    });
    const { findings, differences, missed, ran } = campaign;
    process.stderr.write(`${campaign.report()}, of ${all.length}; FATES_SEED=${seed}\n`);
    expect(findings).toEqual([]);
    expect(differences).toEqual([]);
    // A retry that reaches the other process, or a faster machine, may do without a round trip.
    expect(missed.length).toBeLessThanOrEqual(Math.max(mostMissed, Math.ceil(ran / 20)));
  },
  4 * 3600_000,
);

test.runIf(full)("a second charge is found where the guard against it is left out", async () => {
  const lane = await Lane.start("one settle per hold");
  try {
    const [one] = combinations(readList()).filter(
      (found) => nameOf(found) === "call | api postgres settle_calls #1 | answer cut",
    );
    const { flow, ...target } = one as NonNullable<typeof one>;
    const { finding } = await run(lane, flow, target);
    expect(finding).toMatch("2 settles");
  } finally {
    await lane.stop();
  }
});
