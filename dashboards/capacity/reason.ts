import type { SlotsBound } from "../../runtime/queue.ts";
import { boundTexts } from "../slots-bound.ts";
import type { Bottleneck, PoolAnswer } from "./answer.ts";
import { type Load, offered, waits } from "./model.ts";

/** A number with few digits and no exponent, for people. */
const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(value >= 10 ? 3 : 2)));

const time = (seconds: number): string =>
  seconds < 0.9995 ? `${short(seconds * 1000)} ms` : `${short(seconds)} s`;
const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

interface Subject {
  answer: Omit<PoolAnswer, "reason">;
  load: Load | undefined;
  bottleneck: Bottleneck | undefined;
}

/** One sentence that explains the desired workers, with the numbers of the formula. */
export function reasonOf({ answer, load, bottleneck }: Subject): string {
  const { workers, slots, arrivals } = answer;
  const result = `${many(workers.desired, "worker")} of ${many(Math.round(slots.per_worker), "slot")}${heldText(slots.bound)}`;
  const bound = boundOf(answer);
  if (bottleneck?.binds && bottleneck.wall !== "slots") {
    return `${bottleneckText(bottleneck, answer)}: ${result}${bound}.`;
  }
  if (!load) return `No call has ended yet, so the service time is unknown: ${result}${bound}.`;
  if (arrivals.planned_per_second === 0) {
    return `No call came in the last two minutes: ${result}${bound}.`;
  }
  return `${demand(answer, load)}; ${effect(answer, load)}: ${result}${bound}.`;
}

/** Why a worker has that many slots, where they follow the machine. */
function heldText(bound: SlotsBound): string {
  if (bound === "setting") return "";
  if (bound === "demand") return " and more as calls come";
  return `, held by ${boundTexts[bound]}`;
}

/** The predicted wait beside the measured one. Empty while no call was taken. */
export function worthOf({ wait, slots }: Pick<PoolAnswer, "wait" | "slots">): string {
  const {
    measured_mean_ms: mean,
    measured_mean_either_way_ms: around,
    measured_calls: calls,
  } = wait;
  if (mean === null) return "";
  const { predicted_mean_ms: predicted } = wait;
  const expected = predicted === null ? "without end" : `of ${time(predicted / 1000)}`;
  const range = around === null ? "" : ` ± ${time(around / 1000)}`;
  const caveat = around === null || around > mean / 2 ? ", too few to say much" : "";
  return `On ${many(slots.now, "slot")} a mean wait ${expected} is predicted; in the last five minutes it was ${time(mean / 1000)}${range}, of ${many(calls, "call")}${caveat}.`;
}

function boundOf({ workers, arrivals }: Subject["answer"]): string {
  if (workers.desired >= workers.ceiling) return ` (the ceiling)`;
  if (workers.desired <= workers.floor) return ` (the floor)`;
  return workers.desired < workers.now && arrivals.planned_per_second > 0
    ? ", one step down at a time"
    : "";
}

function demand({ arrivals, slots }: Subject["answer"], load: Load): string {
  const waiting = slots.waiting > 0 ? ` and ${many(slots.waiting, "waiting call")}` : "";
  return `${short(load.perSecond)} calls/s (${short(arrivals.per_second)} in the last minute, peak ${short(arrivals.peak_per_second)}${waiting}) × ${time(load.serviceSeconds)} keep ${short(offered(load))} slots busy`;
}

/** The wait with the desired slots, and with one worker less. */
function effect(
  { slots, workers, target_p95_wait_ms: target }: Subject["answer"],
  load: Load,
): string {
  const on = (count: number) => {
    const { p95 } = waits(load, count);
    const wait = Number.isFinite(p95) ? `a p95 wait of ${time(p95)}` : "a queue that only grows";
    return `${wait} on ${many(count, "slot")}`;
  };
  const fewer = Math.round((workers.desired - 1) * slots.per_worker);
  const less = fewer > 0 ? ` and ${on(fewer)}` : "";
  const taking = load.takingSeconds ? `, ${time(load.takingSeconds)} to take a job` : "";
  return `Erlang C (Allen-Cunneen, ca² ${short(load.arrivalScv)}, cs² ${short(load.serviceScv)}${taking}) gives ${on(slots.desired)}${less} (target ${time(target / 1000)})`;
}

/** The account that most of them belong to, where it is known. */
function accountIn(of: string): string {
  const [, account] = / of the account (.+)$/.exec(of) ?? [];
  return account === undefined ? "" : ` (mostly ${account})`;
}

function bottleneckText(
  bottleneck: Bottleneck,
  { arrivals, more_workers: help }: Subject["answer"],
): string {
  const { of, used, limit, unit, needed } = bottleneck;
  const numbers = `${short(used)} of ${short(limit)} ${unit}`;
  switch (bottleneck.wall) {
    case "upstream_quota":
      return `${of} allows ${short(limit)} requests a minute and calls need ${short(used)}, so more workers will not help and a quota of ${short(Math.ceil(needed))} a minute would`;
    case "redis":
      return `Redis uses ${numbers} (${of}), so more workers will not help and ${short(needed)} ${unit} would`;
    case "database":
      if (of === "credits")
        return `Reserving and settling the credits of a call takes ${short(used)} ms (slow from ${short(limit)} ms on), so the database's writes or locks are the bottleneck and more workers will not help`;
      if (of === "locks")
        return `${short(used)} sessions of the database wait for locks (many from ${short(limit)} on), so more workers will not help`;
      return of === "statement"
        ? `The database takes ${short(used)} ms for the simplest statement (slow from ${short(limit)} ms on), so more workers will not help and a faster database would`
        : `The database has ${numbers}, so more workers will not help and ${short(Math.ceil(needed))} would`;
    case "account_concurrency":
      return `${short(arrivals.refused_by_account_concurrency_per_minute)} calls a minute are refused by their account's own concurrency limit${accountIn(of)} while slots are free, so more workers will not help and a higher limit would (gateway accounts)`;
    default:
      return `${of} uses ${numbers}, so more workers ${help === "help" ? "in containers of their own will help" : "on this machine will not help"} and ${short(needed)} ${unit} would suffice`;
  }
}
