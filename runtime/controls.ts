import { queuePrefix } from "./redis/keys.ts";
import { provenances } from "../contract/evidence.ts";
import { operations } from "../contract/index.ts";
import { pools } from "../contract/operation.ts";

/** Operators' decisions about a part of the gateway, and the form in which workers read them. */

export const controlKinds = ["pool", "upstream", "operation", "account", "key", "worker"] as const;
export type ControlKind = (typeof controlKinds)[number];

/**
 * `pause`: workers take no job and new calls are refused, while queued calls keep waiting. `drain`: new
 * calls are refused and queued calls run. Of a worker, `pause` means that this process takes no job and finishes
 * those that it has. `off` allows no calls, `cap` a rate limit of calls a minute.
 * `none` revokes an earlier decision.
 */
export const controlEffects = ["pause", "drain", "off", "cap", "none"] as const;
export type ControlEffect = (typeof controlEffects)[number];

/** Upstreams that only issue tokens, and those that need them. */
const tokenUpstreams: Readonly<Record<string, string>> = {
  "reddit-token": "reddit",
  "x-app": "x",
  "x-token": "x",
};

/** The upstream for which this one issues tokens, or else itself. */
export const tokenUpstreamOf = (upstream: string): string => tokenUpstreams[upstream] ?? upstream;

/** Upstreams by their names. */
export const upstreamNames: readonly string[] = [
  ...Object.keys(provenances),
  ...Object.keys(tokenUpstreams),
].toSorted();

export interface Decision {
  kind: ControlKind;
  target: string;
  effect: ControlEffect;
  /** With `cap` only. */
  perMinute?: number;
  why: string;
  /** The decision expires after this many minutes. */
  minutes?: number;
}

export const mostPerMinute = 1_000_000;
/** 90 days. */
export const mostMinutes = 129_600;
const mostText = 300;

function effectsOf(kind: ControlKind): readonly ControlEffect[] {
  if (kind === "pool") return ["pause", "drain", "none"];
  return kind === "worker" ? ["pause", "none"] : ["off", "cap", "none"];
}

/** The fault of a decision, or undefined. The caller checks that the account or key exists. */
export function objectionTo(
  decision: Partial<Record<keyof Decision, unknown>>,
): string | undefined {
  const { kind, target, effect, perMinute, why, minutes } = decision;
  const whole = (value: unknown, most: number) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
  if (!controlKinds.includes(kind as ControlKind))
    return `kind must be one of ${controlKinds.join(", ")}`;
  if (typeof target !== "string" || target === "" || target.length > 100)
    return "target must be a name of 1 to 100 characters";
  if (kind === "pool" && !(pools as readonly string[]).includes(target))
    return `there is no pool ${target}`;
  if (kind === "operation" && !operations.has(target)) return `there is no operation ${target}`;
  if (kind === "upstream" && !upstreamNames.includes(target))
    return `there is no upstream ${target}`;
  if (kind === "worker" && !/^\S+-\d+@\d+$/.test(target))
    return "target must be one process, as host-pid@start in milliseconds";
  const may: readonly string[] = effectsOf(kind as ControlKind);
  if (!may.includes(effect as string)) return `effect must be one of ${may.join(", ")}`;
  if (effect === "cap" ? !whole(perMinute, mostPerMinute) : perMinute !== undefined)
    return `per_minute must be a whole number from 1 to ${mostPerMinute}, with cap only`;
  if (typeof why !== "string" || why.trim() === "" || why.length > mostText)
    return `why must be 1 to ${mostText} characters`;
  if (minutes !== undefined && (effect === "none" || !whole(minutes, mostMinutes)))
    return `minutes must be a whole number from 1 to ${mostMinutes}, not with none`;
  return undefined;
}

/** JSON list of `UpstreamControl` that workers obey, written by API processes. A missing key means unknown. */
export const upstreamControlsKey = `${queuePrefix}:controls`;

/** JSON list of `QuietWorker`, written by API processes as the key above is. */
export const quietWorkersKey = `${queuePrefix}:controls:workers`;

export interface QuietWorker {
  /** As `instanceOf` names it. */
  worker: string;
  /** Unix time in milliseconds, by the clock of the database. */
  until?: number | undefined;
}

export interface UpstreamControl {
  upstream: string;
  /** Calls a minute; 0 is off. */
  perMinute: number;
  /** Unix time in milliseconds, by the clock of the database. */
  until?: number | undefined;
}
