import { cpus, loadavg } from "node:os";
import setup from "../../test/services.ts";
import type { Attack, VictimKind } from "./attack.ts";
import { chosenBy, known } from "./chosen.ts";
import type { Silence } from "./silences.ts";
import { type Stage, openStage } from "./stage.ts";
import { type Caller, type Seen, at, calls, patiently, sequence } from "./victim.ts";

/**
 * `npm run attacks -- [--seconds N] [name or list …]`: calls of one account alone before each attack and beside it. Each
 * attack is by an account of its own, whose work ends with it. Exit code 1 where the goal is missed.
 */

const goal = { answered: 0.95, moreMs: 1000, silenceMs: 250 };
const everyMs = 250;
const ownEveryMs = 2000;
/** The attacker's good calls may be over its own limits for so long. */
const ownPatienceMs = 20_000;
/** Calls alone before each attack, in seconds: so much shows whether the victim is at its usual times again. */
const aloneSeconds = 5;
/** Usual: a p50 of so many times the first one of its kind, and so many milliseconds. */
const usual = { times: 1.3, ms: 20 };
/** Time for what an attack has left behind to end; a gateway that does not recover has missed the goal. */
const calmMs = 60_000;
/** All attacks of a shorter time take less than 25 minutes. */
const secondsOf = (isAll: boolean) => (isAll ? 18 : 60);
interface Row {
  name: string;
  about: string;
  victim: VictimKind;
  alone: Seen;
  beside: Seen;
  own: Seen;
  silence: Silence;
  missed: string[];
}

const ms = (value: number) => (Number.isNaN(value) ? "–" : `${Math.round(value)}`);
const others = ({ others: found }: Seen) =>
  found.size === 0
    ? ""
    : ` (${[...found].map(([status, count]) => `${count} x ${status}`).join(", ")})`;
const answered = (seen: Seen) => `${seen.times.length} of ${seen.sent}${others(seen)}`;

function missedBy({ alone, beside, own, silence }: Omit<Row, "missed">): string[] {
  const missed: string[] = [];
  if (beside.times.length < goal.answered * beside.sent) missed.push("answered");
  // One service time is the victim's own.
  if (!(at(beside.times, 0.95) <= at(alone.times, 0.95) + at(alone.times, 0.5) + goal.moreMs))
    missed.push("p95");
  if (silence.ms - silence.sharedMs > goal.silenceMs) missed.push("silence");
  if (own.times.length === 0) missed.push("own calls");
  return missed;
}

interface Alone {
  alone: Seen;
  /** False where what was before has not ended in time. */
  isCalm: boolean;
}

const isUsual = (alone: Seen, first: Seen) =>
  alone.times.length >= goal.answered * alone.sent &&
  at(alone.times, 0.5) <= usual.times * at(first.times, 0.5) + usual.ms;

/** Calls without an attack, once they take as long as the first ones of their kind, or after `calmMs`. */
async function measureAlone(
  stage: Stage,
  kind: VictimKind,
  first: Seen | undefined,
): Promise<Alone> {
  const caller = await stage.caller();
  const call = () => calls[kind](caller);
  // The first calls make connections and caches.
  await sequence(call, 2, everyMs);
  for (const end = performance.now() + calmMs; ;) {
    const alone = await sequence(call, aloneSeconds, everyMs);
    const isCalm = isUsual(alone, first ?? alone);
    if (isCalm || performance.now() > end) return { alone, isCalm };
  }
}

async function measure(
  stage: Stage,
  name: string,
  attack: Attack,
  { alone, isCalm }: Alone,
  seconds: number,
): Promise<Row> {
  const victim = await stage.caller();
  stage.silence();
  stage.notes();
  const running = await stage.attack(name, Math.min(60, seconds) * 1000);
  const call = (caller: Caller) => () => calls[attack.victim](caller);
  const mine = () => patiently(call(running.caller), ownPatienceMs);
  const [beside, own] = await Promise.all([
    sequence(call(victim), seconds, everyMs),
    sequence(mine, seconds, ownEveryMs),
  ]);
  const silence = stage.silence();
  await running.stop();
  const { about, victim: kind } = attack;
  const row = { name, about, victim: kind, alone, beside, own, silence };
  return { ...row, missed: [...(isCalm ? [] : ["calm before"]), ...missedBy(row)] };
}

function table(rows: readonly Row[]): string {
  const lines = rows.map(({ name, about, victim, alone, beside, own, silence, missed }) =>
    [
      "",
      `\`${name}\`: ${about}`,
      victim,
      answered(beside),
      `${ms(at(alone.times, 0.5))} / ${ms(at(alone.times, 0.95))}`,
      `${ms(at(beside.times, 0.5))} / ${ms(at(beside.times, 0.95))}`,
      `${silence.ms} (${silence.ownMs}, ${silence.waitedMs}, ${silence.sharedMs})`,
      answered(own),
      missed.length === 0 ? "met" : `MISSED: ${missed.join(", ")}`,
      "",
    ]
      .join(" | ")
      .trim(),
  );
  return [
    "| attack | victim's calls | answered | p50 / p95 alone, ms | beside, ms | longest silence of the API (own processor time, wait for a processor, silent in an idle process), ms | the attacker's good calls answered | goal |",
    "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

const args = process.argv.slice(2);
const flag = args.indexOf("--seconds");
const stated = flag < 0 ? undefined : Number(args.splice(flag, 2)[1]);
const seconds = stated ?? secondsOf(args.length === 0);
const chosen = chosenBy(args);
if (!chosen || !(seconds >= 4)) {
  process.stderr.write(
    `usage: npm run attacks -- [--seconds <4 and more>] [name or list …]\nLists and attacks: ${known()}\n`,
  );
  process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const stop = await setup();
const rows: Row[] = [];
const complaints: string[] = [];
try {
  const stage = await openStage();
  try {
    const first = new Map<VictimKind, Seen>();
    for (const [name, attack] of chosen) {
      const { victim } = attack;
      try {
        const calm = await measureAlone(stage, victim, first.get(victim));
        if (!first.has(victim)) first.set(victim, calm.alone);
        const row = await measure(stage, name, attack, calm, seconds);
        rows.push(row);
        const load = loadavg()[0]?.toFixed(1);
        process.stderr.write(`${table([row]).split("\n").at(-1)} load ${load}; ${stage.notes()}\n`);
      } catch (error) {
        complaints.push(`${name}: ${String(error)}`);
      }
    }
    complaints.push(...stage.complaints());
  } finally {
    await stage.stop();
  }
} finally {
  await stop();
}
process.stdout.write(
  `${seconds} s each, ${cpus().length} x ${cpus()[0]?.model}, Node ${process.version}\n\n${table(rows)}\n`,
);
for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
process.exit(complaints.length > 0 || rows.some(({ missed }) => missed.length > 0) ? 1 : 0);
