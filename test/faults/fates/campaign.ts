import { type Fate, fates } from "./fate.ts";
import type { Flow } from "./flow.ts";
import type { Entry, Journal } from "./journal.ts";
import { isKnown } from "./known.ts";
import { Lane } from "./lane.ts";
import {
  type Combination,
  type RoundTrips,
  absent,
  combinations,
  nameOf,
  run,
  unlisted,
} from "./matrix.ts";

/** Runs flows with and without fates in several lanes, and collects what is wrong. */

const progressEvery = 50;
/** On a busy machine a run may do without a look that it usually takes. */
const mostTries = 3;

/** Work of one lane. */
export interface Work {
  flow: Flow;
  /** False where the lane cannot be used further. */
  run(lane: Lane): Promise<boolean>;
}

interface Lanes {
  count: number;
  /** No work begins later, in Unix milliseconds. */
  until?: number;
  /** Looks at a lane before it stops. */
  last: (lane: Lane) => Promise<void>;
}

/** Each lane takes the first work with as many API processes as it runs, or else the first of all. */
export async function inLanes(
  works: Work[],
  { count, until = Infinity, last }: Lanes,
): Promise<void> {
  const next = ({ isPair }: Lane) => {
    if (Date.now() > until) return undefined;
    const own = works.findIndex(({ flow }) => (flow.processes === 2) === isPair);
    return works.splice(Math.max(0, own), 1)[0];
  };
  // Lanes start one after another: a machine that starts all at once leaves the stores of each without an answer.
  let started: Promise<unknown> = Promise.resolve();
  const start = () => {
    const lane = started.then(() => Lane.start());
    started = lane.catch(() => undefined);
    return lane;
  };
  // A lane that fails must not leave the processes of another one behind.
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(count, works.length) }, async () => {
      let lane = await start();
      try {
        for (let work = next(lane); work !== undefined; work = next(lane)) {
          if (await work.run(lane)) continue;
          // A state without end must not meet the next combination.
          await lane.stop();
          lane = await start();
        }
        await last(lane);
      } finally {
        await lane.stop();
      }
    }),
  );
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

export class Campaign {
  readonly findings: string[] = [];
  /** Combinations that are known to fail, and did. */
  readonly known: string[] = [];
  /** Combinations whose round trip did not occur. */
  readonly missed: string[] = [];
  /** Combinations whose round trip some runs do without, as these did. */
  readonly rare: string[] = [];
  /** Differences between the list and the runs without a fate. */
  readonly differences: string[] = [];
  /** Combinations that met their round trip, and what they found, by flow. */
  readonly #tallies = new Map<string, { fates: Map<Fate, number>; found: number; ms: number }>();
  ran = 0;
  readonly #list: RoundTrips;
  readonly #journal: Journal | undefined;
  readonly #startedAt = Date.now();
  /** Combinations of earlier runs. */
  #before = 0;

  constructor(list: RoundTrips, journal?: Journal) {
    this.#list = list;
    this.#journal = journal;
  }

  /** Counts what earlier runs of these combinations gave, and returns the others. */
  left(all: readonly Combination[]): Combination[] {
    const done = new Map(this.#journal?.done().map((entry) => [entry.name, entry]));
    return all.filter((one) => {
      const entry = done.get(nameOf(one));
      if (entry === undefined) return true;
      this.#before += 1;
      this.#count(one, entry);
      return false;
    });
  }

  /** Runs a combination; once more where its round trip did not occur. */
  async withFate(lane: Lane, one: Combination): Promise<boolean> {
    const { flow } = one;
    let outcome = await run(lane, flow, one);
    if (!outcome.isReached && outcome.finding === undefined && !one.isRare)
      outcome = await run(lane, flow, one);
    const { isReached, ms, finding } = outcome;
    const entry = {
      name: nameOf(one),
      isReached,
      ms,
      ...(finding === undefined ? {} : { finding }),
    };
    this.#journal?.add(entry);
    this.#count(one, entry);
    if (finding === undefined) return true;
    if (isKnown(one.trip, one.fate)) this.known.push(nameOf(one));
    else this.#note(`${nameOf(one)}: ${finding}`);
    return false;
  }

  /** One line about a run of an hour. */
  progress(all: number): void {
    const { ran } = this;
    if (ran % progressEvery !== 0) return;
    const minutes = (Date.now() - this.#startedAt) / 60_000;
    const rest = ((all - ran) * minutes) / Math.max(1, ran - this.#before);
    process.stderr.write(
      `fates: ${ran} of ${all} after ${minutes.toFixed(1)} min, about ${rest.toFixed(0)} min left; ${this.findings.length} findings\n`,
    );
  }

  #count(one: Combination, { isReached, ms, finding }: Entry): void {
    const { flow, fate } = one;
    this.ran += 1;
    const tally = this.#tallies.get(flow.name) ?? {
      fates: new Map<Fate, number>(),
      found: 0,
      ms: 0,
    };
    this.#tallies.set(flow.name, tally);
    tally.ms += ms;
    tally.found += finding === undefined ? 0 : 1;
    if (isReached) tally.fates.set(fate, (tally.fates.get(fate) ?? 0) + 1);
    else (one.isRare ? this.rare : this.missed).push(nameOf(one));
  }

  /** Runs a flow without a fate: it meets no round trip that is not listed, and all that are. */
  async withoutFate(lane: Lane, flow: Flow): Promise<boolean> {
    const most = new Map<string, number>();
    let missing: string[] = [];
    for (let tries = 0; tries < mostTries; tries += 1) {
      const { seen, finding } = await run(lane, flow);
      if (finding !== undefined) {
        this.#note(`${flow.name} without a fault: ${finding}`);
        return false;
      }
      for (const [trip, count] of seen) most.set(trip, Math.max(count, most.get(trip) ?? 0));
      missing = absent(this.#list, flow, most);
      if (missing.length === 0) break;
    }
    for (const trip of unlisted(this.#list, flow, most))
      this.differences.push(`${flow.name}: ${trip} is not listed`);
    for (const trip of missing) this.differences.push(`${flow.name}: ${trip} does not occur`);
    return true;
  }

  async books(lane: Lane): Promise<void> {
    for (const violation of await lane.gateway.violations()) this.#note(violation);
  }

  report(): string {
    const { known, missed, rare, ran } = this;
    const rows = [...this.#tallies].map(([name, tally]) => {
      const trips = Object.keys(this.#list[name] ?? {}).length;
      const all = combinations({ [name]: this.#list[name] ?? {} }).length;
      const counts = fates.map((fate) => tally.fates.get(fate) ?? 0);
      const seconds = `${Math.round(tally.ms / 1000)} s`;
      return `| ${[name, trips, all, ...counts, tally.found, seconds].join(" | ")} |`;
    });
    return [
      `| flow | round trips | combinations | ${fates.join(" | ")} | found | time |`,
      ...rows,
      ...known.map((name) => `known: ${name}`),
      ...missed.map((name) => `not met: ${name}`),
      `fates: ${ran - missed.length - rare.length} of ${ran} combinations met their round trip`,
    ].join("\n");
  }

  #note(finding: string): void {
    this.findings.push(finding);
    // A run of an hour must not keep its findings to its end.
    process.stderr.write(`FINDING ${finding}\n`);
  }
}
