import type { PoolAnswer, Wall } from "./answer.ts";
import { type Load, offered, waits } from "./model.ts";

/** Few digits, and no exponent: these are read by people. */
const short = (value: number): string =>
  value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(value >= 10 ? 3 : 2)));

const time = (seconds: number): string =>
  seconds < 0.9995 ? `${short(seconds * 1000)} ms` : `${short(seconds)} s`;
const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

interface Subject {
  answer: Omit<PoolAnswer, "reason">;
  load: Load | undefined;
  wall: Wall | undefined;
}

/** One sentence: why this many workers, with the formula in numbers. */
export function reasonOf({ answer, load, wall }: Subject): string {
  const { workers, slots, arrivals } = answer;
  const result = `${many(workers.desired, "worker")} of ${many(Math.round(slots.per_worker), "slot")}`;
  const bound = boundOf(answer);
  if (wall?.binds && wall.wall !== "slots") return `${wallText(wall, answer)}: ${result}${bound}.`;
  if (!load) return `No call has ended yet, so nothing is known of their time: ${result}${bound}.`;
  if (arrivals.planned_per_second === 0) {
    return `No call came in the last two minutes: ${result}${bound}.`;
  }
  return `${demand(answer, load)}; ${effect(answer, load)}: ${result}${bound}.`;
}

/** What the prediction is worth, beside what was seen. Empty while no call was taken. */
export function worthOf({ wait, slots }: Pick<PoolAnswer, "wait" | "slots">): string {
  const {
    measured_mean_ms: mean,
    measured_mean_either_way_ms: around,
    measured_calls: calls,
  } = wait;
  if (mean === null) return "";
  const { predicted_mean_ms: predicted } = wait;
  const said = predicted === null ? "without end" : `of ${time(predicted / 1000)}`;
  const range = around === null ? "" : ` ± ${time(around / 1000)}`;
  const few = around === null || around > mean / 2 ? ", too few to say much" : "";
  return `On ${many(slots.now, "slot")} a mean wait ${said} is predicted; in the last five minutes it was ${time(mean / 1000)}${range}, of ${many(calls, "call")}${few}.`;
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

/** What the desired slots bring, and what one worker less would. */
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
  return `Erlang C (Allen-Cunneen, ca² ${short(load.arrivalScv)}, cs² ${short(load.serviceScv)}${taking}) gives ${on(slots.desired)}${less}, where ${time(target / 1000)} is asked`;
}

function wallText(wall: Wall, { arrivals, more_workers: help }: Subject["answer"]): string {
  const numbers = `${short(wall.used)} of ${short(wall.limit)} ${wall.unit}`;
  switch (wall.wall) {
    case "upstream_quota":
      return `${wall.of} allows ${short(wall.limit)} requests a minute and calls ask for ${short(wall.used)}, so more workers will not help and a quota of ${short(Math.ceil(wall.needed))} a minute would`;
    case "redis":
      return `Redis uses ${numbers} (${wall.of}), so more workers will not help and ${short(wall.needed)} ${wall.unit} would`;
    case "database":
      return wall.of === "statement"
        ? `The database takes ${short(wall.used)} ms for the simplest statement where ${short(wall.limit)} is much, so more workers will not help and a faster database would`
        : `The database has ${numbers}, so more workers will not help and ${short(Math.ceil(wall.needed))} would`;
    case "account_concurrency":
      return `${short(arrivals.refused_by_account_concurrency_per_minute)} calls a minute are refused by their account's own limit of calls in flight while slots are free, so more workers will not help and a higher limit would (gateway accounts)`;
    default:
      return `${wall.of} uses ${numbers}, so more workers ${help === "help" ? "in containers of their own will help" : "on this machine will not help"} and ${short(wall.needed)} ${wall.unit} would carry it`;
  }
}
