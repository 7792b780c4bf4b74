import type { MachineLoad } from "../../contract/job.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import type { Wall, WallName } from "./answer.ts";
import type { Measured } from "./measure.ts";
import { offered } from "./model.ts";
import type { Sample } from "./sample.ts";

/** From this share on a wall is felt: queues in front of it grow faster than what they wait for. */
const bindsAt = 0.9;
/** A statement that takes this long says that the database is at its end. */
const slowStatementMs = 100;
/** Of a machine that is full, this much must be the pool's own for the processors to be its wall. */
const ownShare = 0.3;
/** Refused calls of this share say that an account's own limit is what holds it back. */
const crowdedShare = 0.05;

const wall = (
  name: WallName,
  of: string,
  unit: string,
  used: number,
  limit: number,
  more: Partial<Pick<Wall, "binds" | "needed">> = {},
): Wall => {
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

/** Everything that a pool can run into, what it shares with others included. */
export function wallsOf(
  pool: Pool,
  measured: ReadonlyMap<Pool, Measured>,
  samples: readonly Sample[],
): Wall[] {
  const mine = measured.get(pool);
  if (!mine) return [];
  return [
    ...storesOf(samples),
    ...quotasOf(mine, measured, samples),
    ...machinesOf(mine),
    ...accountsOf(mine),
    slotsOf(mine),
  ];
}

function storesOf(samples: readonly Sample[]): Wall[] {
  const newest = samples.at(-1) as Sample;
  const then = samples.findLast(({ at }) => newest.at - at >= 30_000) ?? (samples[0] as Sample);
  const seconds = (newest.at - then.at) / 1000;
  const { redis, database } = newest;
  const spent = redis.processorSeconds - then.redis.processorSeconds;
  const found: Wall[] = [];
  // Redis does its work in one thread.
  if (seconds > 0 && spent >= 0)
    found.push(wall("redis", "processor", "cores", spent / seconds, 1));
  if (redis.limitBytes > 0) {
    found.push(wall("redis", "memory", "MB", redis.usedBytes / 1e6, redis.limitBytes / 1e6));
  }
  if (database) {
    found.push(
      wall("database", "connections", "connections", database.connections, database.most),
      wall("database", "statement", "ms", database.milliseconds, slowStatementMs),
    );
  }
  return found;
}

/** What every pool asks of the accounts that this one asks. */
function quotasOf(
  mine: Measured,
  measured: ReadonlyMap<Pool, Measured>,
  samples: readonly Sample[],
): Wall[] {
  const { quotas } = samples.at(-1) as Sample;
  const accounts = new Map<string, { names: string[]; perMinute: number }>();
  for (const [name, { account, per_second }] of Object.entries(quotas)) {
    const known = accounts.get(account) ?? { names: [], perMinute: per_second * 60 };
    known.names.push(name);
    accounts.set(account, known);
  }
  return [...accounts.values()].flatMap(({ names, perMinute }) => {
    const asked = (one: Measured) =>
      names.reduce((total, name) => total + (one.requestsPerCall[name] ?? 0), 0) *
      planned(one) *
      60;
    if (asked(mine) === 0) return [];
    const all = pools.reduce((total, one) => {
      const other = measured.get(one);
      return total + (other ? asked(other) : 0);
    }, 0);
    return [wall("upstream_quota", names.join(" and "), "requests a minute", all, perMinute)];
  });
}

/** The rate that is planned for. */
export const planned = (one: Measured): number => Math.max(one.perSecond, one.peakPerSecond);

function machinesOf({ now }: Measured): Wall[] {
  const hosts = new Map<string, MachineLoad[]>();
  for (const one of now.machines) hosts.set(one.host, [...(hosts.get(one.host) ?? []), one]);
  return [...hosts].flatMap(([host, processes]) => {
    const load = processes.at(-1) as MachineLoad;
    const own = processes.reduce((total, one) => total + one.own_processors, 0);
    const isOurs = own >= ownShare * load.processors;
    const full = load.busy_processors >= bindsAt * load.processors;
    return [
      wall("processor", host, "processors", load.busy_processors, load.processors, {
        binds: full && isOurs,
      }),
      wall("memory", host, "MB", load.memory_used / 1e6, load.memory / 1e6),
    ];
  });
}

function accountsOf({ crowdedPerMinute, perSecond, now }: Measured): Wall[] {
  if (crowdedPerMinute === 0) return [];
  const asked = crowdedPerMinute + perSecond * 60;
  const idle = now.running < now.slots && now.waiting === 0;
  return [
    wall("account_concurrency", "calls in flight", "calls a minute", asked, perSecond * 60, {
      binds: idle && crowdedPerMinute > crowdedShare * asked,
      needed: asked,
    }),
  ];
}

function slotsOf(mine: Measured): Wall {
  const busy = mine.service
    ? offered({
        perSecond: planned(mine),
        arrivalScv: 1,
        serviceSeconds: mine.service.seconds,
        serviceScv: 1,
      })
    : mine.now.running;
  return wall("slots", "workers", "slots", busy, mine.now.slots);
}

const order: readonly WallName[] = [
  "redis",
  "database",
  "upstream_quota",
  "processor",
  "memory",
  "account_concurrency",
];

/** The wall that is met first: slots are cheap, so they come last. */
export function bindingWall(found: readonly Wall[]): Wall | undefined {
  const binding = found.filter(({ binds }) => binds);
  for (const name of order) {
    const worst = binding.filter((one) => one.wall === name).sort((a, b) => b.share - a.share)[0];
    if (worst) return worst;
  }
  return found.find((one) => one.wall === "slots");
}

/** Of what a pool asks, the share that the tightest quota lets through. */
export const quotaShare = (found: readonly Wall[]): number =>
  Math.min(1, ...found.filter((one) => one.wall === "upstream_quota").map((one) => 1 / one.share));
