import { type Decision, objectionTo, upstreamNames } from "../../runtime/controls.ts";
import { operations } from "../../contract/index.ts";
import { nearOperations } from "../../contract/search-operations.ts";
import { nearAccounts } from "../../db/call-list.ts";
import type { Actor } from "../../db/changes.ts";
import type { Database } from "../../db/client.ts";
import { decide, isKnown } from "../../db/controls.ts";

/** A decision as sent: a form sends every value as text, a program sends JSON. */
export interface Sent {
  kind?: unknown;
  target?: unknown;
  effect?: unknown;
  per_minute?: unknown;
  minutes?: unknown;
  why?: unknown;
  /** Address of the page with the form. */
  back?: unknown;
}

const optionalNumber = (value: unknown): unknown =>
  value === undefined || value === "" || value === null
    ? undefined
    : typeof value === "string" && /^\d{1,9}$/.test(value.trim())
      ? Number(value)
      : value;

function read(sent: Sent): Partial<Record<keyof Decision, unknown>> {
  const { kind, target, effect, why } = sent;
  const perMinute = optionalNumber(sent.per_minute);
  const minutes = optionalNumber(sent.minutes);
  return {
    kind,
    target: typeof target === "string" ? target.trim() : target,
    effect,
    why: typeof why === "string" ? why.trim() : why,
    perMinute,
    minutes,
  };
}

const nearText = (names: readonly string[]) =>
  names.length === 0 ? "" : `; near names: ${names.join(", ")}`;

/** Names close to an unknown operation or upstream. */
function nearNames({ kind, target }: ReturnType<typeof read>): string[] {
  if (typeof target !== "string" || target === "") return [];
  if (kind === "operation" && !operations.has(target)) return nearOperations(target);
  if (kind !== "upstream" || upstreamNames.includes(target)) return [];
  const begin = target.toLowerCase().slice(0, 3);
  return upstreamNames.filter((name) => name.startsWith(begin));
}

/** Stores a decision, which puts it in force, or returns what is wrong with it. */
export async function take(
  db: Database,
  actor: Actor,
  sent: Sent,
): Promise<{ objection: string } | { id: number }> {
  const fields = read(sent);
  const objection = objectionTo(fields);
  if (objection !== undefined) return { objection: objection + nearText(nearNames(fields)) };
  const decision = fields as unknown as Decision;
  const { kind, target } = decision;
  if ((kind === "account" || kind === "key") && !(await isKnown(db, kind, target))) {
    const near = kind === "account" ? await nearAccounts(db, target) : [];
    return { objection: `there is no ${kind} ${target}${nearText(near)}` };
  }
  return { id: await decide(db, { who: actor.who, via: actor.via, ...decision }) };
}
