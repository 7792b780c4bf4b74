import { randomUUID } from "node:crypto";
import type { ChainableCommander, Redis, Result } from "ioredis";
import { type Mode, queueOf, queuePrefix } from "../../contract/job.ts";
import type { Pool } from "../../contract/operation.ts";
import { ownerName } from "../auth.ts";
import { acquireScript, renewScript } from "./limits.lua.ts";

declare module "ioredis" {
  interface RedisCommander<Context> {
    acquireCalls(...keysAndArguments: (string | number)[]): Result<number[], Context>;
    renewLease(...keysAndArguments: (string | number)[]): Result<null, Context>;
  }
}

export interface Limits {
  ratePerSecond: number;
  maxInFlight: number;
}

export interface Acquired {
  kind: "ok" | "rate" | "concurrency" | "queue";
  /** Calls that the rate still allows right now. */
  remaining: number;
  /** Milliseconds until the rate allows the next call. */
  waitMs: number;
  /** Calls that wait in the pool's queue or are on their way there. */
  waiting: number;
  /** Its turn in the pool's queue, the least first; 0 while slots are free. */
  priority: number;
}

/** Who asks for a place, and where. */
export interface Place {
  requestId: string;
  accountId: number;
  mode: Mode;
  pool: Pool;
  /** Its caller does not wait: it is served when nobody's who waits is. */
  background?: boolean;
}

export interface Bounds {
  /** Jobs the pool runs at once. */
  slots: number;
  /** Jobs that may wait. */
  room: number;
}

const kinds: Record<number, Acquired["kind"]> = {
  1: "ok",
  0: "rate",
  [-1]: "concurrency",
  [-2]: "queue",
};
const prefix = `${queuePrefix}:limits`;
const leasesKey = `${prefix}:leases`;
const flightsKey = `${prefix}:flight:`;
const flightKey = (place: Place) => `${flightsKey}${ownerName(place)}`;
/** Priorities of a class, from the first; BullMQ has them up to 2^21. The first of `background` is `patientFirst`. */
const patientFirst = 2 ** 20 + 0xc_0000;
const classes = {
  waiting: { live: [0, 2 ** 20], test: [2 ** 20, 0xc_0000] },
  background: { live: [patientFirst, 2 ** 17], test: [patientFirst + 2 ** 17, 2 ** 17] },
} as const;
const classOf = ({ background, mode }: Place) =>
  classes[background ? "background" : "waiting"][mode];
/** A turn in the middle of those whose caller does not wait, for a job that has lost its own. */
export const patientPriority = (mode: Mode): number =>
  classes.background[mode][0] + classes.background[mode][1] / 2;
/** Both kinds of a pool have turns of their own. */
const kindOf = ({ pool, background }: Place) => (background ? `${pool}:background` : pool);
const wayKey = (place: Place) => `${prefix}:way:${kindOf(place)}`;

/** A process that has not been heard of for this long is gone, and so are its calls. */
const leaseMs = 2500;
const renewEveryMs = 500;
/** Longer than any call, also one whose caller does not wait. */
const mostLastsMs = 7_200_000;

interface Asking {
  place: Place;
  limits: Limits;
  bounds: Bounds;
  resolve: (acquired: Acquired) => void;
  reject: (error: unknown) => void;
}

interface Returning {
  place: Place;
  resolve: () => void;
}

/** What one account asks of one pool: while a batch is on its way the next one gathers. */
interface Gathering {
  asking: Asking[];
  returning: Returning[];
}

/** Most calls of one script; Lua's stack bounds what it can unpack. */
const most = 500;

/** A place that was asked for, until it is refused or given back. */
interface Held {
  place: Place;
  granted: boolean;
}

/** Places within an account's rate and concurrency and a pool's queue. */
export interface Gate {
  /** Takes a place; asking again under the same request id takes the same one. */
  acquire(place: Place, limits: Limits, bounds: Bounds): Promise<Acquired>;
  /** A place that is not given back falls free seconds after this process has ended. */
  release(place: Place): Promise<void>;
  /** Its job is in the queue, which is told with whatever is asked next: nobody has to look whether it is. */
  arrived(place: Place): void;
  /** Takes the place of a call that a process left behind, whatever the limits say: it was granted to that one. */
  resume(place: Place): Promise<void>;
  close(): Promise<void>;
}

export function createGate(redis: Redis): Gate {
  redis.defineCommand("acquireCalls", { numberOfKeys: 9, lua: acquireScript });
  redis.defineCommand("renewLease", { numberOfKeys: 1, lua: renewScript });
  const gatherings = new Map<string, Gathering>();
  const held = new Map<string, Held>();
  /** By kind of place: calls that are no longer on their way. */
  const arrivals = new Map<string, string[]>();
  let lease = randomUUID();

  // A Redis that is away is reported by those who need it.
  const renew = () => void redis.renewLease(leasesKey, lease, leaseMs).catch(() => undefined);
  const renewal = setInterval(renew, renewEveryMs);
  redis.on("ready", () => void restate().catch(() => undefined));

  /**
   * A Redis that was restarted or took over may have lost what it was told last: places given back are
   * taken again, others are forgotten. What this process really holds is told under a new lease.
   */
  async function restate(): Promise<void> {
    const former = lease;
    lease = randomUUID();
    // The script itself: a server that took over does not know it by its digest.
    const commands = redis.multi().eval(renewScript, 1, leasesKey, lease, leaseMs, former);
    for (const { place, granted } of held.values()) if (granted) state(place, commands);
    await commands.exec();
  }

  function state(place: Place, commands: ChainableCommander): ChainableCommander {
    return commands
      .sadd(`${flightKey(place)}:${lease}`, place.requestId)
      .pexpire(`${flightKey(place)}:${lease}`, mostLastsMs)
      .hset(wayKey(place), place.requestId, lease)
      .pexpire(wayKey(place), mostLastsMs);
  }

  function join(place: Place, add: (gathering: Gathering) => void): void {
    const name = `${ownerName(place)}:${kindOf(place)}`;
    const known = gatherings.get(name);
    const gathering = known ?? { asking: [], returning: [] };
    add(gathering);
    if (known) return;
    gatherings.set(name, gathering);
    void drain(name, gathering);
  }

  async function drain(name: string, gathering: Gathering): Promise<void> {
    while (gathering.asking.length + gathering.returning.length > 0) {
      const returning = gathering.returning.splice(0, most);
      await send(gathering.asking.splice(0, most), returning);
      for (const { resolve } of returning) resolve();
    }
    gatherings.delete(name);
  }

  /** Never throws. What could not be given back is left out when what is held is told next. */
  async function send(asking: Asking[], returning: Returning[]): Promise<void> {
    const back = returning.map(({ place }) => place.requestId);
    try {
      if (asking.length > 0) await ask(asking, back);
      else {
        const { place } = returning[0] as Returning;
        const flight = redis.srem(`${flightKey(place)}:${lease}`, back);
        await Promise.all([flight, redis.hdel(wayKey(place), ...back)]);
      }
    } catch (error) {
      for (const { reject } of asking) reject(error);
    }
  }

  async function ask(asking: Asking[], back: string[]): Promise<void> {
    // What an account may do can change between two calls; the latest counts.
    const { place, limits, bounds } = asking.at(-1) as Asking;
    const queue = `${queuePrefix}:${queueOf(place.pool)}`;
    const under = lease;
    const there = arrivals.get(kindOf(place))?.splice(0, most) ?? [];
    const [firstPriority, priorities] = classOf(place);
    const verdicts = await redis.acquireCalls(
      `${prefix}:rate:${ownerName(place)}`,
      flightKey(place),
      wayKey(place),
      leasesKey,
      `${queue}:wait`,
      `${queue}:active`,
      `${queue}:prioritized`,
      `${prefix}:turns:${kindOf(place)}`,
      `${prefix}:sole:${kindOf(place)}`,
      limits.ratePerSecond,
      limits.maxInFlight,
      bounds.slots,
      under,
      leaseMs,
      `${queue}:`,
      back.length,
      firstPriority,
      flightsKey,
      ownerName(place),
      priorities,
      patientFirst,
      there.length,
      ...back,
      ...there,
      ...asking.flatMap((call) => [call.place.requestId, call.bounds.room]),
    );
    asking.forEach(({ resolve, place: { requestId } }, index) => {
      const [verdict, remaining, waitMs, waiting, priority] = verdicts.slice(
        index * 5,
        index * 5 + 5,
      ) as [number, number, number, number, number];
      const one = held.get(requestId);
      if (one && verdict === 1) one.granted = true;
      if (verdict !== 1) held.delete(requestId);
      resolve({ kind: kinds[verdict] ?? "ok", remaining, waitMs, waiting, priority });
    });
    // Granted under a lease that has ended meanwhile.
    if (under !== lease) void restate().catch(() => undefined);
  }

  return {
    acquire(place, limits, bounds) {
      held.set(place.requestId, { place, granted: held.get(place.requestId)?.granted ?? false });
      return new Promise((resolve, reject) => {
        join(place, ({ asking }) => asking.push({ place, limits, bounds, resolve, reject }));
      });
    },
    release(place) {
      held.delete(place.requestId);
      return new Promise((resolve) => {
        join(place, ({ returning }) => returning.push({ place, resolve }));
      });
    },
    arrived(place) {
      const kind = kindOf(place);
      const others = arrivals.get(kind);
      if (others) others.push(place.requestId);
      else arrivals.set(kind, [place.requestId]);
    },
    async resume(place) {
      held.set(place.requestId, { place, granted: true });
      await state(place, redis.multi()).exec();
    },
    async close() {
      clearInterval(renewal);
      await redis.zrem(leasesKey, lease).catch(() => 0);
    },
  };
}
