import { setImmediate } from "node:timers/promises";
import pLimit from "p-limit";
import { liveInput } from "../../contract/probe-inputs.ts";
import { operations } from "../../contract/index.ts";
import type { Operation } from "../../contract/operation.ts";
import type { ProbedUpstream } from "../../runtime/probe.ts";
import { priceOf } from "../../runtime/upstream-prices.ts";
import { CliProblem } from "../problem.ts";
import { chosenOperations } from "./choose.ts";
import type { Sender } from "./jobs.ts";
import { type Play, type Played, sampleRuns } from "./sample-run.ts";

/** The calls that verify is about to make, their order and their cost. */

export interface Step {
  op: Operation;
  /** False for an operation that is only called because another needs a value of its answer. */
  chosen: boolean;
  /** Undefined for operations that render a page. */
  sample: Played | undefined;
  asked: readonly ProbedUpstream[];
  /** The preferred upstreams, which this call of an operation with two leaves out. */
  without?: readonly string[] | undefined;
  /** Why it is not called. */
  not?: { fault: string; cause: string; remedy: string } | undefined;
}

export interface Cost {
  upstream: string;
  calls: number;
  /** Undefined where the price is unknown. */
  dollars: number | undefined;
  from: string;
}

export interface Plan {
  steps: Step[];
  costs: Cost[];
  play: Play;
}

const askedAtOnce = 16;

/** The chosen operations after those whose answers they need. */
export function inOrder(chosen: readonly Operation[]): Operation[] {
  const ordered = new Set<Operation>();
  function add(op: Operation): void {
    if (ordered.has(op)) return;
    for (const live of liveInput(op.id, op.example as object).values()) {
      const source = "of" in live && live.of !== op.id ? operations.get(live.of) : undefined;
      if (source) add(source);
    }
    ordered.add(op);
  }
  for (const op of chosen) add(op);
  return [...ordered];
}

interface Choice {
  names: readonly string[];
  /** Only operations whose upstreams need no account. */
  free: boolean;
}

export async function planOf(jobs: Sender, { names, free }: Choice): Promise<Plan> {
  const chosen = new Set(chosenOperations(names));
  const play = await sampleRuns();
  const [first, ...rest] = inOrder([...chosen]);
  if (!first) return { steps: [], costs: [], play };
  const limit = pLimit(askedAtOnce);
  // Workers of a release without probes would carry the job out, so one job finds out.
  const asked = [await ask(jobs, first)];
  asked.push(...(await Promise.all(rest.map((op) => limit(() => ask(jobs, op))))));
  const steps: Step[] = [];
  // After the questions: a busy machine plays all samples for seconds, in which an open command would time out.
  for (const [index, op] of [first, ...rest].entries()) {
    const { others, ...answer } = asked[index] as Asked;
    const add = async (one: Omit<Asked, "others">) => {
      const sample = await play(op, op.example, one.asked);
      steps.push({ op, chosen: chosen.has(op), sample, ...one });
      await setImmediate();
    };
    await add(answer);
    if (answer.not || others.length === 0 || !chosen.has(op)) continue;
    const second = await askSecond(jobs, op, answer.asked, others);
    if (second) await add(second);
  }
  const needed = free ? steps.filter((one) => one.asked.every(isFree) && !isAccount(one)) : steps;
  return { steps: needed, costs: costsOf(needed.filter(({ not }) => !not)), play };
}

const isFree = ({ credentials }: ProbedUpstream): boolean => credentials.length === 0;
/** An operation without workers was not asked; it counts as free only where it has no upstream. */
const isAccount = ({ asked, sample, not }: Step): boolean =>
  not !== undefined && asked.length === 0 && sample !== undefined && sample.calls.size > 0;

/** The other upstream of an operation with two; each may have several forms of credential. */
async function askSecond(
  jobs: Sender,
  op: Operation,
  first: Step["asked"],
  others: readonly string[],
): Promise<Omit<Asked, "others"> | undefined> {
  const without: string[] = [];
  let { asked, not }: Pick<Step, "asked" | "not"> = { asked: first };
  while (!asked.some(({ upstream }) => others.includes(upstream))) {
    const names = asked.map(({ upstream }) => upstream);
    // It turns to one that it was to leave out: there is no other.
    if (names.length === 0 || names.some((name) => without.includes(name))) return undefined;
    without.push(...names);
    ({ asked, not } = await ask(jobs, op, without));
  }
  return { asked, not, without };
}

type Asked = Pick<Step, "asked" | "not" | "without"> & { others: readonly string[] };

async function ask(jobs: Sender, op: Operation, without?: readonly string[]): Promise<Asked> {
  const others: string[] = [];
  if (!jobs.hasWorkers(op.pool))
    return {
      asked: [],
      others,
      not: {
        fault: "no_worker",
        cause: `no worker serves the pool ${op.pool}`,
        remedy: `Start a worker with the pool ${op.pool}.`,
      },
    };
  // These render pages: no upstream, and nothing to ask.
  if (op.pool === "browser") return { asked: [], others };
  const { outcome } = await jobs.send(op, op.input.parse(op.example), "ask", { without });
  if (!outcome)
    return {
      asked: [],
      others,
      not: {
        fault: "no_worker",
        cause: `no worker of the pool ${op.pool} took the call in time`,
        remedy: "Look at the pool on the dashboards.",
      },
    };
  if (!outcome.probe)
    throw new CliProblem(
      "old_workers",
      "A worker of an earlier release took the call: upgrade all workers, then verify.",
    );
  const { asked } = outcome.probe;
  const lacking = asked.find(({ hasCredentials }) => !hasCredentials);
  if (!lacking) return { asked, others: outcome.probe.others ?? others };
  const names = lacking.credentials.join(", ");
  return {
    asked,
    others,
    not: {
      fault: "no_credential",
      cause: `${lacking.upstream}: the workers have no credential for it`,
      remedy: `Set ${names} for the workers.`,
    },
  };
}

/** Expected calls by upstream; a list may be called for a second page. */
function callsOf({ op, sample }: Step, mostPages: 1 | 2): Map<string, number> {
  const pages = op.paginated && sample?.hasMore === true ? mostPages : 1;
  return new Map([...(sample?.calls ?? [])].map(([upstream, calls]) => [upstream, calls * pages]));
}

export function costsOf(steps: readonly Step[], pages: 1 | 2 = 2): Cost[] {
  const costs = new Map<string, Cost>();
  for (const step of steps) {
    for (const [upstream, calls] of callsOf(step, pages)) {
      const { dollars: each, from } = callPrice(step, upstream);
      const before = costs.get(upstream) ?? { upstream, calls: 0, dollars: 0, from };
      const sum = before.dollars;
      const dollars = sum === undefined || each === undefined ? undefined : sum + each * calls;
      costs.set(upstream, { ...before, calls: before.calls + calls, dollars });
    }
  }
  return [...costs.values()].toSorted((one, other) => (one.upstream < other.upstream ? -1 : 1));
}

function callPrice({ op, asked }: Step, upstream: string) {
  const credentials = asked.find((one) => one.upstream === upstream)?.credentials ?? [];
  return priceOf(upstream, op.area, credentials);
}

/** Dollars that a step is known to cost; `otherwise` for each call whose price nobody publishes. */
export const knownCost = (step: Step, pages: 1 | 2 = 2, otherwise = 0): number =>
  [...callsOf(step, pages)].reduce(
    (sum, [upstream, calls]) => sum + calls * (callPrice(step, upstream).dollars ?? otherwise),
    0,
  );
