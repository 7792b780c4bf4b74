import { type Fate, fates } from "./fate.ts";
import type { Flow } from "./flow.ts";
import type { Entry, Journal } from "./journal.ts";
import { isKnown } from "./known.ts";
import type { Lane } from "./lane.ts";
import type { Work } from "./lanes.ts";
import {
  type Combination,
  type Outcome,
  type RoundTrips,
  absent,
  combinations,
  nameOf,
  run,
  unlisted,
} from "./matrix.ts";

/** Runs flows with and without fates, and collects what is wrong. */

const progressEvery = 50;
/** On a busy machine a run may do without a look that it usually takes. */
const mostTries = 3;
/** Runs of a combination alone, after a finding of it beside other lanes. */
const triesAlone = 2;

/** Results of the combinations of a flow. */
interface Tally {
  fates: Map<Fate, number>;
  found: number;
  ms: number;
}

/** The finding of one of a few runs alone. */
export async function foundAgain(
  find: () => Promise<string | undefined>,
): Promise<{ finding?: string }> {
  for (let tries = 0; tries < triesAlone; tries += 1) {
    const finding = await find();
    if (finding !== undefined) return { finding };
  }
  return {};
}

export class Campaign {
  /** They count: each was found beside other lanes and again alone. */
  readonly findings: string[] = [];
  /** Found beside other lanes, and not again alone. */
  readonly once: string[] = [];
  readonly #suspects: { one: Combination; finding: string }[] = [];
  /** Combinations that are known to fail, and did. */
  readonly known: string[] = [];
  /** Combinations whose round trip did not occur. */
  readonly missed: string[] = [];
  /** Combinations whose round trip some runs do without, as these did. */
  readonly rare: string[] = [];
  /** Differences between the list and the runs without a fate. */
  readonly differences: string[] = [];
  /** Combinations that met their round trip, and what they found, by flow. */
  readonly #tallies = new Map<string, Tally>();
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
    else {
      this.#suspects.push({ one, finding });
      process.stderr.write(`SUSPECT ${nameOf(one)}: ${finding}\n`);
    }
    return false;
  }

  /** Combinations with a finding, for one lane without others beside it: only what is found again counts. */
  again(): Work[] {
    return this.#suspects.splice(0).map(({ one, finding }) => ({
      flow: one.flow,
      run: (lane) => this.#alone(lane, one, finding),
    }));
  }

  async #alone(lane: Lane, one: Combination, before: string): Promise<boolean> {
    let last: Outcome | undefined;
    const finding = await foundAgain(async () => {
      last = await run(lane, one.flow, one);
      return last.finding;
    });
    const { isReached = false, ms = 0 } = last ?? {};
    return this.decide(one, before, { name: nameOf(one), isReached, ms, ...finding });
  }

  /** Counts a suspect by its runs alone; false where it was found again. */
  decide(one: Combination, before: string, { finding, ...entry }: Entry): boolean {
    const told = `${entry.name}: ${before}`;
    if (finding === undefined) {
      const once = entry.isReached ? before : `${before} (its round trip did not occur alone)`;
      this.#journal?.add({ ...entry, once });
      this.once.push(`${entry.name}: ${once}`);
      return true;
    }
    this.#journal?.add({ ...entry, finding });
    this.#tallyOf(one).found += 1;
    this.#note(`${told}\n  again alone: ${finding}`);
    return false;
  }

  /** One line about a run of an hour. */
  progress(all: number): void {
    const { ran } = this;
    if (ran % progressEvery !== 0) return;
    const minutes = (Date.now() - this.#startedAt) / 60_000;
    const rest = ((all - ran) * minutes) / Math.max(1, ran - this.#before);
    process.stderr.write(
      `fates: ${ran} of ${all} after ${minutes.toFixed(1)} min, about ${rest.toFixed(0)} min left; ${this.#suspects.length} to be run again alone\n`,
    );
  }

  #tallyOf({ flow }: Combination): Tally {
    const tally = this.#tallies.get(flow.name) ?? { fates: new Map(), found: 0, ms: 0 };
    this.#tallies.set(flow.name, tally);
    return tally;
  }

  #count(one: Combination, { isReached, ms, once }: Entry): void {
    const { fate } = one;
    const tally = this.#tallyOf(one);
    this.ran += 1;
    tally.ms += ms;
    if (once !== undefined) this.once.push(`${nameOf(one)}: ${once}`);
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
    const { known, missed, once, rare, ran } = this;
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
      ...once.map((text) => `found beside other lanes, and not alone: ${text}`),
      `fates: ${ran - missed.length - rare.length} of ${ran} combinations met their round trip`,
    ].join("\n");
  }

  #note(finding: string): void {
    this.findings.push(finding);
    // A run of an hour must not keep its findings to its end.
    process.stderr.write(`FINDING ${finding}\n`);
  }
}
