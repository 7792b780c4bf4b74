import { processMetrics } from "../../../runtime/metrics.ts";
import { type Pool, pools } from "../../../contract/operation.ts";
import type { PoolAnswer } from "../../../dashboards/capacity/answer.ts";
import { type Memory, decideAll } from "../../../dashboards/capacity/decide.ts";
import type { PoolSample, Sample } from "../../../dashboards/capacity/sample.ts";
import { defaultSettings } from "../../../dashboards/capacity/settings.ts";
import { still } from "./samples.ts";
import { exponential, generator, logNormal } from "./simulate.ts";

/**
 * An hour of callers without a machine: random calls, workers' slots, reads of `/capacity` every
 * five seconds, and workers with a start-up time. The clock is simulated, so a run depends only on
 * its seed.
 */
export interface Hour {
  pool: Pool;
  serviceSeconds: number;
  scv: number;
  /** Slots of one worker. */
  slots: number;
  targetSeconds: number;
  seconds: number;
  seed: number;
  rate(at: number): number;
  /** Seconds until a requested worker takes its first job. */
  startSeconds: number;
  /** Seconds until a worker takes a job that found a free slot. */
  takingSeconds: number;
  /** Seconds between the end of a job and the next one in its slot. */
  handOverSeconds: number;
}

/** Ten seconds of the simulated hour. */
export interface Minute {
  at: number;
  /** Waits of the calls taken in this part, in seconds. */
  waits: number[];
  answer: PoolAnswer;
}

interface Worker {
  /** Time from which it takes jobs. */
  from: number;
  busy: number[];
  leaving: boolean;
}

const lookEvery = 5;
/** Processes publish their counters every five seconds, at different times before a read. */
const publishedBefore = 2.5;
const bounds = processMetrics.gateway_job_wait_seconds.buckets;

export function runHour(hour: Hour): Minute[] {
  const { pool, slots, seconds, startSeconds } = hour;
  const random = generator(hour.seed);
  const settings = defaultSettings();
  const mine = { ...settings[pool], targetMs: hour.targetSeconds * 1000, ceiling: 16 };
  const idle = Object.fromEntries(pools.map((one) => [one, still()])) as Record<Pool, PoolSample>;
  const workers: Worker[] = [{ from: 0, busy: [], leaving: false }];
  const queue: number[] = [];
  const takings = { jobs: 0, seconds: 0 };
  const counted: PoolSample = { ...still(), waitBuckets: {} };
  let published = { ...counted };
  let samples: Sample[] = [];
  let memory: Partial<Record<Pool, Memory>> = {};
  let answer: PoolAnswer | undefined;
  let taken: number[] = [];
  const minutes: Minute[] = [];

  const ends: { at: number; worker: Worker; ran: number }[] = [];
  const up = (now: number) => workers.filter(({ from, leaving }) => from <= now && !leaving);
  const running = () => workers.reduce((sum, { busy }) => sum + busy.length, 0);

  function take(now: number, handedOver: boolean): void {
    while (queue.length > 0) {
      const worker = up(now).find(({ busy }) => busy.length < slots);
      if (!worker) return;
      const came = queue.shift() as number;
      const late = handedOver ? hour.handOverSeconds : hour.takingSeconds;
      const wait = now + late - came;
      // No other call can take the slot meanwhile.
      const ran = late + logNormal(random, hour.serviceSeconds, hour.scv);
      const end = now + ran;
      takings.jobs += 1;
      takings.seconds += late;
      taken.push(wait);
      counted.waits += 1;
      counted.waitSeconds += wait;
      const bound = bounds.find((one) => wait <= one);
      if (bound !== undefined) counted.waitBuckets[bound] = (counted.waitBuckets[bound] ?? 0) + 1;
      worker.busy.push(end);
      ends.push({ at: end, worker, ran });
    }
  }

  function arrive(now: number, last: number): void {
    if (queue.length >= up(now).length * slots * 10) {
      counted.queueFull += 1;
      return;
    }
    counted.added += 1;
    counted.gaps += now - last;
    counted.gapSquares += (now - last) ** 2;
    queue.push(now);
  }

  function readCapacity(now: number): void {
    const there = up(now).length;
    const sample: PoolSample = {
      ...published,
      waiting: queue.length,
      running: running(),
      slots: there * slots,
      workers: there,
    };
    // On the clock of Redis the first read is never at 0.
    samples.push({
      at: (now + 1000) * 1000,
      pools: { ...idle, [pool]: sample },
      quotas: {},
      redis: { processorSeconds: 0, usedBytes: 1e6, limitBytes: 0 },
    });
    samples = samples.slice(-180);
    const decided = decideAll(samples, { ...settings, [pool]: mine }, memory);
    memory = decided.memory;
    answer = decided.answer[pool];
    const desired = answer.workers.desired;
    const known = workers.filter(({ leaving }) => !leaving);
    for (let more = known.length; more < desired; more += 1) {
      workers.push({ from: now + startSeconds, busy: [], leaving: false });
    }
    // One at a time, after its jobs.
    if (known.length > desired) (known.at(-1) as Worker).leaving = true;
  }

  let last = 0;
  let next = exponential(random, 1 / hour.rate(0));
  // Tenths of a second for reads and starts, events for arrivals and ends.
  for (let tick = 0; tick <= seconds * 10; tick += 1) {
    const until = tick / 10;
    for (;;) {
      let first = -1;
      for (let index = 0; index < ends.length; index += 1) {
        if (first < 0 || (ends[index] as { at: number }).at < (ends[first] as { at: number }).at)
          first = index;
      }
      const end = ends[first];
      if (next <= until && (!end || next <= end.at)) {
        arrive(next, last);
        take(next, false);
        last = next;
        next += exponential(random, 1 / hour.rate(next));
      } else if (end && end.at <= until) {
        ends.splice(first, 1);
        end.worker.busy.splice(end.worker.busy.indexOf(end.at), 1);
        counted.runs += 1;
        counted.runSeconds += end.ran;
        counted.runSquares += end.ran ** 2;
        take(end.at, true);
      } else break;
    }
    take(until, false);
    if ((until + publishedBefore) % lookEvery === 0) {
      published = {
        ...counted,
        waitBuckets: { ...counted.waitBuckets },
        taken: { ...takings },
      };
    }
    if (until % lookEvery === 0) readCapacity(until);
    if (until > 0 && until % 10 === 0) {
      minutes.push({ at: until, waits: taken, answer: answer as PoolAnswer });
      taken = [];
    }
  }
  return minutes;
}
