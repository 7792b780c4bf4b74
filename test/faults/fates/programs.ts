import { setTimeout as sleep } from "node:timers/promises";
import { type Process, pepper } from "../../gateway.ts";
import { startProcess } from "../../process.ts";
import type { Program, Role, Stores } from "./relays.ts";
import { operatorsKey } from "./upstream.ts";

/** Programs that end by themselves, beside the processes of a lane. */

export interface ProgramOptions {
  withinMs: number;
  /** In place of the lane's own. */
  stores?: Partial<Stores>;
  /** Arguments. */
  words?: readonly string[];
  /** Standard input. */
  input?: string | undefined;
}

/** Pools of a lane's worker. */
export const pools = "social,serp,webhooks";

export const isProgram = (role: Role): role is Program =>
  role === "health" || role === "migration" || role === "operator";

export function startProgram(
  role: Program,
  script: string,
  stores: Record<string, string>,
  { words = [], input }: Pick<ProgramOptions, "words" | "input">,
): Process {
  const own =
    role === "operator"
      ? { KEY_PEPPER: pepper, CREDENTIALS_KEY: operatorsKey, DATA_DIR: "/nonexistent" }
      : { WORKER_POOLS: pools };
  return startProcess(script, { ...stores, ...own }, [], { words, input });
}

/** The exit code of a process, or the signal's name. */
export async function endOf(process: Process, withinMs: number): Promise<number | string> {
  const limit = new AbortController();
  const late = sleep(withinMs, "no end", { signal: limit.signal }).catch(() => "no end");
  const end = await Promise.race([process.ended, late]);
  limit.abort();
  return end;
}
