import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { full } from "../full.ts";
import { Campaign } from "./campaign.ts";
import type { Flow } from "./flow.ts";
import { Journal, journalFile } from "./journal.ts";
import { found, isKnown } from "./known.ts";
import { Lane } from "./lane.ts";
import { type Work, inLanes } from "./lanes.ts";
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

/** Most of a combination is waiting, so that a processor serves several lanes. */
const lanesEach = 4;
const lanes = Number(process.env["FATES_LANES"] ?? (full ? lanesEach * availableParallelism() : 1));
const seed = process.env["FATES_SEED"] ?? String(Date.now());
/** Beginnings of names, with semicolons between them: all combinations named so run, and no other. */
const only = process.env["FATES_ONLY"]?.split(";");
/** No combination begins after so many minutes; the next run goes on. */
const minutes = Number(process.env["FATES_MINUTES"] ?? Infinity);
/** Runs of each chosen flow from which its list is written anew. */
const recordings = Number(process.env["FATES_RECORD"] ?? 0);
/** Combinations that a seed selects for `npm test`: each costs a second of a processor. */
const shortCount = 10;
/** Of a few combinations. */
const mostMissed = 3;

const isChosen = (name: string) => only?.some((start) => name.startsWith(start)) ?? true;
/** The combinations that a seed selects for `npm test`, and those that have found a fault. */
function share(all: readonly Combination[]): Combination[] {
  const open = shuffled(
    all.filter((one) => !isKnown(one.trip, one.fate)),
    seed,
  );
  const selected = open.filter((one) => !one.isRare).slice(0, shortCount);
  return open.filter((one) => selected.includes(one) || found.includes(nameOf(one)));
}

test.runIf(recordings > 0)("the list is written", async () => {
  const looks = new Map<Flow, ReadonlyMap<string, number>[]>(
    flows.filter(({ name }) => isChosen(name)).map((flow) => [flow, []]),
  );
  const failures: string[] = [];
  const works = Array.from({ length: recordings }, (_, count) =>
    [...looks].map(([flow, seen]): Work => ({
      flow,
      async run(lane) {
        const found = await look(lane, flow, count === 0);
        if (Array.isArray(found)) seen.push(...found);
        else failures.push(found);
        return Array.isArray(found);
      },
    })),
  );
  await inLanes(works.flat(), { count: lanes, last: () => Promise.resolve() });
  const whole = new Map([...looks].filter(([, seen]) => seen.length >= recordings));
  writeFileSync(listFile, `${JSON.stringify(listOf(whole), null, 2)}\n`);
  expect(failures).toEqual([]);
});

test.runIf(recordings === 0)(
  "what callers are told is true, whatever becomes of a round trip",
  async () => {
    const list = readList();
    const all = combinations(list).filter((one) => isChosen(nameOf(one)));
    const journal = full ? new Journal(journalFile()) : undefined;
    const campaign = new Campaign(list, journal);
    const chosen = full || only ? campaign.left(shuffled(all, seed)) : share(all);
    const withoutFate = full && !only && chosen.length === all.length;
    const works: Work[] = [
      ...(withoutFate
        ? flows.map((flow) => ({
            flow,
            run: (lane: Lane) => campaign.withoutFate(lane, flow),
          }))
        : []),
      ...chosen.map((one) => ({
        flow: one.flow,
        async run(lane: Lane) {
          const isUsable = await campaign.withFate(lane, one);
          if (full) campaign.progress(all.length);
          return isUsable;
        },
      })),
    ];
    // A lane that fails must not keep suspects from their runs alone, nor the report from its reader.
    const [together] = await Promise.allSettled([
      inLanes(works, {
        count: lanes,
        until: Date.now() + minutes * 60_000,
        async last(lane) {
          if (!full) await lane.expireHolds();
          await campaign.books(lane);
        },
      }),
    ]);
    await inLanes(campaign.again(), { count: 1, last: () => Promise.resolve() });
    const { findings, differences, missed, ran } = campaign;
    process.stderr.write(`${campaign.report()}, of ${all.length}; FATES_SEED=${seed}\n`);
    if (journal && works.length > 0)
      process.stderr.write(`fates: ${works.length} are left for the next run, ${journal.file}\n`);
    expect(findings).toEqual([]);
    expect(differences).toEqual([]);
    if (together.status === "rejected") throw together.reason;
    // A retry that reaches the other process, or a faster machine, may do without a round trip.
    expect(missed.length).toBeLessThanOrEqual(Math.max(mostMissed, Math.ceil(ran / 20)));
    if (!only && works.length === 0) journal?.finish();
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
