import { Caller } from "./caller.ts";
import type { Flow } from "./flow.ts";
import { isKnown } from "./known.ts";
import { Lane } from "./lane.ts";
import { type Combination, type RoundTrips, nameOf, run } from "./matrix.ts";

/** Runs flows with and without fates in several lanes, and collects what is wrong. */

const progressEvery = 50;

/** Work of one lane; false where the lane cannot be used further. */
export type Work = (lane: Lane) => Promise<boolean>;

/** Each lane takes the work in front until none is left; `last` looks at a lane before it stops. */
export async function inLanes(
  count: number,
  works: Work[],
  last: (lane: Lane) => Promise<void>,
): Promise<void> {
  await Promise.all(
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
}

export class Campaign {
  readonly findings: string[] = [];
  /** Combinations that are known to fail, and did. */
  readonly known: string[] = [];
  /** Combinations whose round trip did not occur. */
  readonly missed: string[] = [];
  /** Differences between the list and the runs without a fate. */
  readonly differences: string[] = [];
  /** Time of each flow in milliseconds. */
  readonly #spentMs = new Map<string, number>();
  ran = 0;
  readonly #list: RoundTrips;

  constructor(list: RoundTrips) {
    this.#list = list;
  }

  /** Runs a combination; once more where its round trip did not occur. */
  async withFate(lane: Lane, one: Combination): Promise<boolean> {
    const { flow } = one;
    let outcome = await run(lane, flow, one);
    if (!outcome.isReached && outcome.finding === undefined) outcome = await run(lane, flow, one);
    this.ran += 1;
    if (this.ran % progressEvery === 0) process.stderr.write(`fates: ${this.ran} combinations\n`);
    this.#spentMs.set(flow.name, (this.#spentMs.get(flow.name) ?? 0) + outcome.ms);
    if (!outcome.isReached) this.missed.push(nameOf(one));
    if (outcome.finding === undefined) return true;
    if (isKnown(one.trip, one.fate)) this.known.push(nameOf(one));
    else this.#note(`${nameOf(one)}: ${outcome.finding}`);
    return false;
  }

  /**
   * Runs all flows without a fate: they meet no round trip that is not listed, and all that are.
   */
  async withoutFates(lane: Lane, flows: readonly Flow[]): Promise<boolean> {
    const once = async (flow: Flow) => {
      const account = await lane.account();
      await flow.run(new Caller(lane, account)).catch((error: unknown) => {
        this.#note(`${flow.name} without a fault: ${String(error)}`);
      });
    };
    const seen = await lane.observed(async () => {
      await Promise.all(flows.filter(({ isAlone }) => !isAlone).map(once));
      for (const flow of flows.filter(({ isAlone }) => isAlone)) await once(flow);
    });
    const listed = Object.values(this.#list).flatMap((trips) => Object.entries(trips));
    const names = new Set(listed.map(([trip]) => trip));
    const due = new Set(listed.flatMap(([trip, count]) => (count > 0 ? [trip] : [])));
    for (const trip of seen.keys())
      if (!names.has(trip)) this.differences.push(`${trip} is not listed`);
    for (const trip of due) if (!seen.has(trip)) this.differences.push(`${trip} does not occur`);
    return true;
  }

  async books(lane: Lane): Promise<void> {
    for (const violation of await lane.gateway.violations()) this.#note(violation);
  }

  report(): string {
    const { known, missed, ran } = this;
    const times = [...this.#spentMs].map(([name, ms]) => `${name} ${Math.round(ms / 1000)} s`);
    return [
      `fates: ${times.join(", ")}`,
      ...known.map((name) => `known: ${name}`),
      ...missed.map((name) => `not met: ${name}`),
      `fates: ${ran} combinations ran`,
    ].join("\n");
  }

  #note(finding: string): void {
    this.findings.push(finding);
    // A run of an hour must not keep its findings to its end.
    process.stderr.write(`FINDING ${finding}\n`);
  }
}
