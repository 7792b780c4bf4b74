import { effectText } from "../controls/page.ts";
import { escape, number, stacked } from "../frame.ts";
import type { QueueState } from "../state.ts";
import { ms } from "../timeline/timeline.ts";
import type { StatusFacts } from "./facts.ts";
import { many } from "./trouble.ts";
import { isLate, span } from "./troubles.ts";

/** The part of the overview on queues: pools, webhooks and planned work. */

/** Text about a limit, or something to look at. */
const warm = (text: string) => `<span class="warm">${escape(text)}</span>`;

/** A pool may be planned without workers, and webhooks need none while none is due. */
function needsWorkers({ pool }: QueueState, { settings, stored }: StatusFacts): boolean {
  if (pool === "webhooks") return typeof stored !== "string" && stored.webhooks.due > 0;
  return settings[pool]?.floor !== 0;
}

/** One word on a pool, beside its colour. */
function poolWord(state: QueueState, facts: StatusFacts, late: boolean): string {
  const stopped =
    typeof facts.stored === "string"
      ? undefined
      : facts.stored.controls.find(({ kind, target }) => kind === "pool" && target === state.pool);
  if (stopped) return `!${effectText(stopped)}`;
  if (state.workers === 0) return `${needsWorkers(state, facts) ? "!" : ""}no workers`;
  return late ? warm("slow") : "runs";
}

function poolRow(state: QueueState, facts: StatusFacts): string[] {
  const { pool, jobs, running, slots, workers } = state;
  const measured = pool === "webhooks" ? undefined : facts.capacity?.pools[pool];
  const p95 = measured?.wait.measured_p95_ms ?? null;
  const target = facts.settings[pool]?.targetMs;
  const late = isLate(measured);
  const wait = p95 === null ? "no calls" : ms(p95);
  const waiting = jobs.waiting + jobs.prioritized + jobs.delayed;
  const oldest = state.oldestWaitingSeconds * 1000;
  return [
    pool === "webhooks"
      ? `<a href="/webhooks">webhooks</a>`
      : `<a href="/pools/${pool}">${pool}</a>`,
    poolWord(state, facts, late),
    number(waiting),
    waiting === 0
      ? "–"
      : `${oldest > Math.max(30_000, 2 * (target ?? 0)) ? "!" : ""}${span(oldest)}`,
    target === undefined ? "–" : `${late ? warm(wait) : wait} / ${ms(target)}`,
    `${number(running)} / ${number(slots)}`,
    number(workers),
  ];
}

function webhooksText({ stored }: StatusFacts): string {
  if (typeof stored === "string") return "";
  const { due, later, oldestSeconds, failingEndpoints } = stored.webhooks;
  if (due + later + failingEndpoints === 0) return "";
  const oldest = oldestSeconds > 0 ? `, the oldest for ${span(oldestSeconds * 1000)}` : "";
  return `<p class="soft">Webhooks: ${number(due)} ${due === 1 ? "is" : "are"} due${oldest}, ${number(later)} wait for their next attempt, <a href="/webhooks">${number(failingEndpoints)} endpoints fail</a>.</p>`;
}

/** Accepted work that has not ended. */
function plannedText({ stored }: StatusFacts): string {
  if (typeof stored === "string") return "";
  const { batches, items, jobs } = stored.planned;
  const told = [
    ...(batches > 0
      ? [`${many(batches, "batch", "batches")} with ${many(items, "item")} left`]
      : []),
    ...(jobs > 0 ? [many(jobs, "job")] : []),
  ];
  const work = told.length === 0 ? "no batch or job is unfinished" : told.join(", ");
  return `<p class="soft">Planned work: <a href="/work">${work}</a>.</p>`;
}

/** The state of every queue, and the work that waits in none. */
export function queuesPart(facts: StatusFacts): string {
  const { reading } = facts;
  if (!reading) return "";
  const heads = [
    "Pool",
    "State",
    "Waiting",
    "Oldest",
    "p95 wait / target",
    "Busy slots",
    "Workers",
  ];
  const rows = [...reading.pools, reading.webhooks].map((state) => poolRow(state, facts));
  return `<h2>Pools</h2>${stacked(heads, rows)}${plannedText(facts)}${webhooksText(facts)}`;
}
