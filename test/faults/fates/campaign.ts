import { type Fate, fates } from "./fate.ts";
import type { Flow } from "./flow.ts";
import { isKnown } from "./known.ts";
import { Lane } from "./lane.ts";
import { type Combination, type RoundTrips, absent, nameOf, run, unlisted } from "./matrix.ts";

/** Runs flows with and without fates in several lanes, and collects what is wrong. */

const progressEvery = 50;
/** On a busy machine a run may do without a look that it usually takes. */
const mostTries = 3;

/** Work of one lane; false where the lane cannot be used further. */
export type Work = (lane: Lane) => Promise<boolean>;

/** Each lane takes the work in front until none is left; `last` looks at a lane before it stops. */
export async function inLanes(
  count: number,
  works: Work[],
  last: (lane: Lane) => Promise<void>,
): Promise<void> {
  // A lane that fails must not leave the processes of another one behind.
  const ends = await Promise.allSettled(
    Array.from({ length: Math.min(count, works.length) }, async () => {
      let lane = await Lane.start();
      try {
        for (let work = works.shift(); work !== undefined; work = works.shift()) {
          if (await work(lane)) continue;
          // A state without end must not meet the next combination.
          await lane.stop();
          lane = await Lane.start();
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

  constructor(list: RoundTrips) {
    this.#list = list;
  }

  /** Runs a combination; once more where its round trip did not occur. */
  async withFate(lane: Lane, one: Combination): Promise<boolean> {
    const { flow } = one;
    let outcome = await run(lane, flow, one);
    if (!outcome.isReached && outcome.finding === undefined && !one.isRare)
      outcome = await run(lane, flow, one);
    this.ran += 1;
    if (this.ran % progressEvery === 0) process.stderr.write(`${this.report()}\n`);
    const tally = this.#tallies.get(flow.name) ?? {
      fates: new Map<Fate, number>(),
      found: 0,
      ms: 0,
    };
    this.#tallies.set(flow.name, tally);
    tally.ms += outcome.ms;
    tally.found += outcome.finding === undefined ? 0 : 1;
    if (outcome.isReached) tally.fates.set(one.fate, (tally.fates.get(one.fate) ?? 0) + 1);
    else (one.isRare ? this.rare : this.missed).push(nameOf(one));
    if (outcome.finding === undefined) return true;
    if (isKnown(one.trip, one.fate)) this.known.push(nameOf(one));
    else this.#note(`${nameOf(one)}: ${outcome.finding}`);
    return false;
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
      const counts = fates.map((fate) => tally.fates.get(fate) ?? 0);
      const seconds = `${Math.round(tally.ms / 1000)} s`;
      return `| ${[name, ...counts, tally.found, seconds].join(" | ")} |`;
    });
    return [
      `| flow | ${fates.join(" | ")} | found | time |`,
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
