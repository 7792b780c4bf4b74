import { randomUUID } from "node:crypto";
import type { ChainableCommander, Redis, Result } from "ioredis";
import { queueOf, queuePrefix } from "../../runtime/redis/keys.ts";
import { type Mode } from "../../contract/mode.ts";
import type { Pool } from "../../contract/operation.ts";
import { firstBackgroundPriority } from "../../runtime/queue.ts";
import { coalesce } from "../../runtime/coalesce.ts";
import { ownerName } from "../auth.ts";
import { acquireScript, renewScript } from "./call-limiter.lua.ts";

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
  /** Position in the pool's queue, the least first; 0 while slots are free. */
  priority: number;
}

/** A call that needs a slot, and the pool. */
export interface Slot {
  requestId: string;
  accountId: number;
  mode: Mode;
  pool: Pool;
  /** Its caller does not wait: the job is served when no waiting caller's job is. */
  background?: boolean;
}

export interface Bounds {
  /** Jobs the pool runs at once. */
  slots: number;
  /** Jobs that may wait in the queue. */
  queueCapacity: number;
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
const flightKey = (slot: Slot) => `${flightsKey}${ownerName(slot)}`;
/**
 * The ranges of priorities by class, each from its first; BullMQ has them up to 2^21. `patientFirst` begins
 * `background`.
 */
const patientFirst = firstBackgroundPriority;
const classes = {
  waiting: { live: [0, 2 ** 20], test: [2 ** 20, 0xc_0000] },
  background: { live: [patientFirst, 2 ** 17], test: [patientFirst + 2 ** 17, 2 ** 17] },
} as const;
const classOf = ({ background, mode }: Slot) =>
  classes[background ? "background" : "waiting"][mode];
/** A priority in the middle of the background class, for a job that has lost its own. */
export const backgroundPriority = (mode: Mode): number =>
  classes.background[mode][0] + classes.background[mode][1] / 2;
/** Waiting and background calls of a pool are scheduled apart. */
const kindOf = ({ pool, background }: Slot) => (background ? `${pool}:background` : pool);
const wayKey = (slot: Slot) => `${prefix}:way:${kindOf(slot)}`;

/** A process that has not renewed its lease for this long is gone, and so are its calls. */
const leaseMs = 2500;
const renewEveryMs = 500;
/** Longer than any call, background calls included. */
const mostLastsMs = 7_200_000;

interface Acquiring {
  slot: Slot;
  limits: Limits;
  bounds: Bounds;
}

interface Releasing {
  slot: Slot;
}

type SlotRequest = Acquiring | Releasing;
const isAcquiring = (call: SlotRequest): call is Acquiring => "limits" in call;

/** Most calls of one script; Lua's stack bounds what it can unpack. */
const most = 500;

/** A slot, from its request until it is refused or released. */
interface Held {
  slot: Slot;
  granted: boolean;
}

/** Rate limit and concurrency limit: slots within an account's rate and concurrency limits and a pool's queue capacity. */
export class CallLimiter {
  readonly #redis: Redis;
  /** One script in flight for each account and pool: released slots travel with requests for slots. */
  readonly #send: (call: SlotRequest) => Promise<Acquired | undefined>;
  readonly #held = new Map<string, Held>();
  /** By kind of slot: calls that have reached the queue. */
  readonly #arrivals = new Map<string, string[]>();
  readonly #renewal: NodeJS.Timeout;
  #lease = randomUUID();

  constructor(redis: Redis) {
    this.#redis = redis;
    redis.defineCommand("acquireCalls", { numberOfKeys: 9, lua: acquireScript });
    redis.defineCommand("renewLease", { numberOfKeys: 1, lua: renewScript });
    this.#send = coalesce({
      keyOf: ({ slot }: SlotRequest) => `${ownerName(slot)}:${kindOf(slot)}`,
      most,
      run: (calls) => this.#exchange(calls),
    });
    this.#renewal = setInterval(() => this.#renew(), renewEveryMs);
    redis.on("ready", () => void this.#restate().catch(() => undefined));
  }

  /** Takes a slot; a repetition under the same request id takes the same one. */
  acquire(slot: Slot, limits: Limits, bounds: Bounds): Promise<Acquired> {
    const { requestId } = slot;
    this.#held.set(requestId, { slot, granted: this.#held.get(requestId)?.granted ?? false });
    return this.#send({ slot, limits, bounds }) as Promise<Acquired>;
  }

  /**
   * Releases a slot; never throws. Slots that are never released fall free seconds after this process has
   * ended.
   */
  async release(slot: Slot): Promise<void> {
    this.#held.delete(slot.requestId);
    try {
      await this.#send({ slot });
    } catch {
      // A slot that could not be released is missing from the next report of held slots.
    }
  }

  /** Notes that the job is in the queue; the next script reports it, so that no script has to check. */
  arrived(slot: Slot): void {
    const kind = kindOf(slot);
    const others = this.#arrivals.get(kind);
    if (others) others.push(slot.requestId);
    else this.#arrivals.set(kind, [slot.requestId]);
  }

  /** Takes over the slot of a call that another process left, whatever the limits are: it was granted there. */
  async resume(slot: Slot): Promise<void> {
    this.#held.set(slot.requestId, { slot, granted: true });
    await this.#state(slot, this.#redis.multi()).exec();
  }

  async close(): Promise<void> {
    clearInterval(this.#renewal);
    await this.#redis.zrem(leasesKey, this.#lease).catch(() => 0);
  }

  /** Calls report a Redis that is away. */
  #renew(): void {
    void this.#redis.renewLease(leasesKey, this.#lease, leaseMs).catch(() => undefined);
  }

  /**
   * A Redis that was restarted or took over may have lost the latest writes: released slots are taken again,
   * others are forgotten. So report the slots that this process really holds, under a new lease.
   */
  async #restate(): Promise<void> {
    const former = this.#lease;
    this.#lease = randomUUID();
    // The script itself: a server that took over does not know it by its digest.
    const commands = this.#redis
      .multi()
      .eval(renewScript, 1, leasesKey, this.#lease, leaseMs, former);
    for (const { slot, granted } of this.#held.values()) if (granted) this.#state(slot, commands);
    await commands.exec();
  }

  #state(slot: Slot, commands: ChainableCommander): ChainableCommander {
    const flight = `${flightKey(slot)}:${this.#lease}`;
    return commands
      .sadd(flight, slot.requestId)
      .pexpire(flight, mostLastsMs)
      .hset(wayKey(slot), slot.requestId, this.#lease)
      .pexpire(wayKey(slot), mostLastsMs);
  }

  async #exchange(calls: SlotRequest[]): Promise<(Acquired | undefined)[]> {
    const acquiring = calls.filter(isAcquiring);
    const back = calls
      .filter((call) => !isAcquiring(call))
      .map(({ slot: { requestId } }) => requestId);
    if (acquiring.length > 0) {
      const verdicts = await this.#acquireCalls(acquiring, back);
      let next = 0;
      return calls.map((call) => (isAcquiring(call) ? verdicts[next++] : undefined));
    }
    const { slot } = calls[0] as Releasing;
    const flight = this.#redis.srem(`${flightKey(slot)}:${this.#lease}`, back);
    await Promise.all([flight, this.#redis.hdel(wayKey(slot), ...back)]);
    return calls.map(() => undefined);
  }

  async #acquireCalls(acquiring: Acquiring[], back: string[]): Promise<Acquired[]> {
    // An account's limits can change between two calls; the latest count.
    const { slot, limits, bounds } = acquiring.at(-1) as Acquiring;
    const queue = `${queuePrefix}:${queueOf(slot.pool)}`;
    const under = this.#lease;
    const there = this.#arrivals.get(kindOf(slot))?.splice(0, most) ?? [];
    const [firstPriority, priorities] = classOf(slot);
    const verdicts = await this.#redis.acquireCalls(
      `${prefix}:rate:${ownerName(slot)}`,
      flightKey(slot),
      wayKey(slot),
      leasesKey,
      `${queue}:wait`,
      `${queue}:active`,
      `${queue}:prioritized`,
      `${prefix}:turns:${kindOf(slot)}`,
      `${prefix}:sole:${kindOf(slot)}`,
      limits.ratePerSecond,
      limits.maxInFlight,
      bounds.slots,
      under,
      leaseMs,
      `${queue}:`,
      back.length,
      firstPriority,
      flightsKey,
      ownerName(slot),
      priorities,
      patientFirst,
      there.length,
      ...back,
      ...there,
      ...acquiring.flatMap((call) => [call.slot.requestId, call.bounds.queueCapacity]),
    );
    const acquired = acquiring.map(({ slot: { requestId } }, index) =>
      this.#acquired(requestId, verdicts.slice(index * 5, index * 5 + 5)),
    );
    // The lease ended while the slots were granted, so report them again.
    if (under !== this.#lease) void this.#restate().catch(() => undefined);
    return acquired;
  }

  #acquired(requestId: string, answer: number[]): Acquired {
    const [verdict, remaining, waitMs, waiting, priority] = answer as [
      number,
      number,
      number,
      number,
      number,
    ];
    const held = this.#held.get(requestId);
    if (held && verdict === 1) held.granted = true;
    if (verdict !== 1) this.#held.delete(requestId);
    return { kind: kinds[verdict] ?? "ok", remaining, waitMs, waiting, priority };
  }
}
