import { Gauge, type Registry } from "@prometheus-io/client";
import type { Database } from "../db/client.ts";
import { type ControlRow, controlLog, standingControls } from "../db/controls.ts";
import { type UseOfAccount, busiestAccounts } from "../db/status.ts";
import type { ProcessAbout } from "../runtime/build.ts";

/** Metrics of what the database holds: the busiest accounts, and operators' decisions. */

export interface StoredReading {
  accounts: UseOfAccount[];
  controls: ControlRow[];
  /** Unix time in seconds of the last decision or action. */
  lastDecision: number;
}

/** An account is a label, so their number is bounded. */
export const mostMeasuredAccounts = 50;
/** A scrape waits no longer for the database. */
const mostWaitMs = 2_000;
const freshMs = 10_000;
/** Adding up the calls of an hour costs more. */
const accountsFreshMs = 60_000;

class Kept<T> {
  readonly #read: () => Promise<T>;
  readonly #freshMs: number;
  #value: T | undefined;
  #readAt = -Infinity;

  constructor(read: () => Promise<T>, keptMs: number) {
    this.#read = read;
    this.#freshMs = keptMs;
  }

  async get(): Promise<T | undefined> {
    if (performance.now() - this.#readAt < this.#freshMs) return this.#value;
    this.#readAt = performance.now();
    this.#value = await this.#read().catch(() => undefined);
    return this.#value;
  }
}

/** Reads them for scrapes, however many there are. */
export class StoredMetrics {
  readonly #accounts: Kept<UseOfAccount[]>;
  readonly #controls: Kept<Omit<StoredReading, "accounts">>;

  constructor(db: Database) {
    this.#accounts = new Kept(() => busiestAccounts(db, mostMeasuredAccounts), accountsFreshMs);
    this.#controls = new Kept(async () => {
      const [controls, [last]] = await Promise.all([standingControls(db), controlLog(db, 1)]);
      return { controls, lastDecision: last ? last.at.getTime() / 1000 : 0 };
    }, freshMs);
  }

  /** Undefined where the database does not answer in time. */
  async read(): Promise<StoredReading | undefined> {
    const both = Promise.all([this.#accounts.get(), this.#controls.get()]);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), mostWaitMs);
    });
    const found = await Promise.race([both, late]);
    clearTimeout(timer);
    const [accounts, controls] = found ?? [];
    return controls && { accounts: accounts ?? [], ...controls };
  }
}

export function registerStored(registry: Registry, stored: StoredReading): void {
  const gauge = <L extends string>(name: string, help: string, labelNames: L[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const labels: ("account" | "mode")[] = ["account", "mode"];
  const calls = gauge(
    "gateway_account_calls",
    `Calls of the last hour that got a hold, of the ${mostMeasuredAccounts} accounts with most.`,
    labels,
  );
  const errors = gauge("gateway_account_errors", "Those of them that ended with an error.", labels);
  const credits = gauge("gateway_account_credits", "Credits that they were charged.", labels);
  for (const { account, mode, ...use } of stored.accounts.slice(0, mostMeasuredAccounts)) {
    calls.set({ account, mode }, use.calls);
    errors.set({ account, mode }, use.errors);
    credits.set({ account, mode }, use.credits);
  }
  const controls = gauge("gateway_controls", "Operators' decisions in force.", ["kind", "effect"]);
  for (const { kind, effect } of stored.controls) controls.inc({ kind, effect });
  gauge(
    "gateway_control_time_seconds",
    "Unix time of the last decision of an operator, for annotations.",
    [],
  ).set(stored.lastDecision);
}

/** When a process of each role last started: its change is a start, for annotations. */
export function registerStarts(
  registry: Registry,
  processes: readonly { role: string; about?: ProcessAbout | undefined }[],
): void {
  const starts = new Gauge({
    name: "gateway_process_start_time_seconds",
    help: "Unix time of the latest start of a live process, for annotations.",
    labelNames: ["role"],
    registers: [registry],
  });
  for (const role of ["api", "worker"]) {
    const times = processes.flatMap(({ role: of, about }) =>
      of === role && about ? [about.since / 1000] : [],
    );
    if (times.length > 0) starts.set({ role }, Math.max(...times));
  }
}
