import type { MachineLoad } from "../../runtime/queue.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import { type Bottleneck, type BottleneckName, bottleneckNames } from "./answer.ts";
import type { Measured } from "./measure.ts";
import { offered } from "./model.ts";
import { type Sample, creditSteps } from "./sample.ts";

/** From this share of its limit on a bottleneck binds: the queue in front of it grows quickly. */
const bindsAt = 0.9;
/** The simplest statement takes this long only in a saturated database. */
const slowStatementMs = 100;
/** Reserving and settling the credits of a call take some milliseconds together; so long only behind slow writes or locks. */
const slowCreditsMs = 250;
const leastCreditSteps = 20;
/** So many sessions wait for locks at two looks in a row only where writes stand in each other's way. */
const mostBlocked = 8;
/** The pool's own share of a full machine from which on the processors are its bottleneck. */
const ownShare = 0.3;
/** From this share of refused calls on, an account's own concurrency limit is the bottleneck. */
const crowdedShare = 0.05;

const bottleneck = (
  name: BottleneckName,
  of: string,
  unit: string,
  used: number,
  limit: number,
  more: Partial<Pick<Bottleneck, "binds" | "needed">> = {},
): Bottleneck => {
  const share = limit > 0 ? used / limit : 0;
  return {
    wall: name,
    of,
    unit,
    used,
    limit,
    share,
    binds: share >= bindsAt,
    needed: used / bindsAt,
    ...more,
  };
};

/** All bottlenecks of a pool, including those it shares with other pools. */
export function bottlenecksOf(
  pool: Pool,
  measured: ReadonlyMap<Pool, Measured>,
  samples: readonly Sample[],
): Bottleneck[] {
  const mine = measured.get(pool);
  if (!mine) return [];
  return [
    ...storesOf(samples),
    ...quotasOf(mine, measured, samples),
    ...machinesOf(mine, measured),
    ...accountsOf(mine, samples.at(-1)?.crowdedBy?.[pool]),
    slotsOf(mine),
  ];
}

function storesOf(samples: readonly Sample[]): Bottleneck[] {
  const newest = samples.at(-1) as Sample;
  const then = samples.findLast(({ at }) => newest.at - at >= 30_000) ?? (samples[0] as Sample);
  const seconds = (newest.at - then.at) / 1000;
  const { redis, database } = newest;
  const spent = redis.processorSeconds - then.redis.processorSeconds;
  const found: Bottleneck[] = [];
  // Redis runs commands in one thread.
  if (seconds > 0 && spent >= 0)
    found.push(bottleneck("redis", "processor", "cores", spent / seconds, 1));
  if (redis.limitBytes > 0) {
    found.push(bottleneck("redis", "memory", "MB", redis.usedBytes / 1e6, redis.limitBytes / 1e6));
  }
  if (database) {
    found.push(
      bottleneck("database", "connections", "connections", database.connections, database.most),
      bottleneck("database", "statement", "ms", database.milliseconds, slowStatementMs),
    );
    const blocked = samples.slice(-2).map((one) => one.database?.blocked ?? 0);
    found.push(
      bottleneck("database", "locks", "waiting sessions", Math.min(...blocked), mostBlocked),
    );
  }
  const creditsMs = creditTimeOf(newest, then);
  if (creditsMs !== undefined)
    found.push(bottleneck("database", "credits", "ms a call", creditsMs, slowCreditsMs));
  return found;
}

/** Milliseconds that a call spends on reserving and on settling its credits; undefined for too few calls. */
function creditTimeOf({ credits: now }: Sample, { credits: before }: Sample): number | undefined {
  if (!now || !before) return undefined;
  let total = 0;
  for (const step of creditSteps) {
    const calls = now[step].calls - before[step].calls;
    if (calls < leastCreditSteps) continue;
    total += (1000 * (now[step].seconds - before[step].seconds)) / calls;
  }
  return total > 0 ? total : undefined;
}

/** The requests of all pools to the upstream accounts that this pool uses. */
function quotasOf(
  mine: Measured,
  measured: ReadonlyMap<Pool, Measured>,
  samples: readonly Sample[],
): Bottleneck[] {
  const { quotas } = samples.at(-1) as Sample;
  const accounts = new Map<string, { names: string[]; perMinute: number }>();
  for (const [name, { account, per_second }] of Object.entries(quotas)) {
    const known = accounts.get(account) ?? { names: [], perMinute: per_second * 60 };
    known.names.push(name);
    accounts.set(account, known);
  }
  return [...accounts.values()].flatMap(({ names, perMinute }) => {
    const requests = (one: Measured) =>
      names.reduce((total, name) => total + (one.requestsPerCall[name] ?? 0), 0) *
      planned(one) *
      60;
    if (requests(mine) === 0) return [];
    const all = pools.reduce((total, one) => {
      const other = measured.get(one);
      return total + (other ? requests(other) : 0);
    }, 0);
    return [bottleneck("upstream_quota", names.join(" and "), "requests a minute", all, perMinute)];
  });
}

/** The rate that the plan serves, before a rise and a backlog. */
export const planned = (one: Measured): number => Math.max(one.perSecond, one.peakPerSecond);

/** Processors that our workers of all pools keep busy on a host. */
function ourLoadOn(host: string, measured: ReadonlyMap<Pool, Measured>): number {
  const loads = [...measured.values()].flatMap(({ now }) => now.machines);
  const ours = new Map(
    loads.filter((one) => one.host === host).map((one) => [one.process, one.own_processors]),
  );
  return [...ours.values()].reduce((total, processors) => total + processors, 0);
}

function machinesOf(mine: Measured, measured: ReadonlyMap<Pool, Measured>): Bottleneck[] {
  const { now } = mine;
  const hosts = new Map<string, MachineLoad[]>();
  for (const one of now.machines) hosts.set(one.host, [...(hosts.get(one.host) ?? []), one]);
  return [...hosts].flatMap(([host, processes]) => {
    const load = processes.at(-1) as MachineLoad;
    const own = processes.reduce((total, one) => total + one.own_processors, 0);
    const isOurs = own >= ownShare * load.processors;
    const full = load.busy_processors >= bindsAt * load.processors;
    // Other programs take the processors from every pool; another pool of ours is named by that pool.
    const isOthers = planned(mine) > 0 && ourLoadOn(host, measured) < ownShare * load.processors;
    const of = full && isOthers && !isOurs ? `${host} (busy with other programs)` : host;
    return [
      bottleneck("processor", of, "processors", load.busy_processors, load.processors, {
        binds: full && (isOurs || isOthers),
      }),
      bottleneck("memory", host, "MB", load.memory_used / 1e6, load.memory / 1e6),
    ];
  });
}

function accountsOf(
  { crowdedPerMinute, perSecond, now }: Measured,
  account: string | undefined,
): Bottleneck[] {
  if (crowdedPerMinute === 0) return [];
  const attempted = crowdedPerMinute + perSecond * 60;
  const idle = now.running < now.slots && now.waiting === 0;
  return [
    bottleneck(
      "account_concurrency",
      account === undefined ? "calls in flight" : `calls in flight of the account ${account}`,
      "calls a minute",
      attempted,
      perSecond * 60,
      {
        binds: idle && crowdedPerMinute > crowdedShare * attempted,
        needed: attempted,
      },
    ),
  ];
}

function slotsOf(mine: Measured): Bottleneck {
  const busy = mine.service
    ? offered({
        perSecond: planned(mine),
        arrivalScv: 1,
        serviceSeconds: mine.service.seconds,
        serviceScv: 1,
      })
    : mine.now.running;
  return bottleneck("slots", "workers", "slots", busy, mine.now.slots);
}

const order = bottleneckNames.filter((name) => name !== "slots");

/** The bottleneck that limits the pool first: slots are cheap, so they come last. */
export function bindingBottleneck(found: readonly Bottleneck[]): Bottleneck | undefined {
  const binding = found.filter(({ binds }) => binds);
  for (const name of order) {
    const worst = binding.filter((one) => one.wall === name).sort((a, b) => b.share - a.share)[0];
    if (worst) return worst;
  }
  return found.find((one) => one.wall === "slots");
}

/** The share of a pool's requests that the tightest upstream quota allows. */
export const quotaShare = (found: readonly Bottleneck[]): number =>
  Math.min(1, ...found.filter((one) => one.wall === "upstream_quota").map((one) => 1 / one.share));
