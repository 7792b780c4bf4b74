import type { ChildProcess } from "node:child_process";
import * as fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { DataFolder } from "./data-folder.ts";
import { endProcess, rotateLog, spawnDetached, tail } from "./process.ts";
import type { Command, ProcessId } from "./process.ts";
import { LocalProblem, messageOf } from "./problem.ts";

export interface Plan extends Command {
  readonly name: string;
  readonly stopSignal: NodeJS.Signals;
  /** The signal for an immediate end; default: SIGKILL. */
  readonly killSignal?: NodeJS.Signals;
  /** Time between the stop signal and SIGKILL. */
  readonly graceMs: number;
  /** Called repeatedly until it no longer throws. */
  readonly ready: () => Promise<void>;
  readonly readyMs: number;
  /**
   * Called before each restart with the last lines of the log. Returns one sentence where it repaired the cause,
   * and throws where nobody but the person at the terminal can.
   */
  readonly repair?: (log: string) => Promise<string | undefined>;
}

const firstPauseMs = 500;
const longestPauseMs = 30_000;
const steadyMs = 60_000;
const steadyRuns = 3;
/** The last lines of a log that are shown. */
const logLines = 15;

/** A log is rotated above 20 MB; looked at often, because a flood of refusals writes 250 KB a second. */
const usualLogs = { limitBytes: 20 * 1024 * 1024, everyMs: 5000 };

/** Keeps one process running: restarts it when it dies, with exponential backoff. */
export class Supervised {
  private readonly plan: Plan;
  private readonly folder: DataFolder;
  private readonly print: (line: string) => void;
  private readonly logFile: string;
  private readonly logStart: number;
  private readonly logs: typeof usualLogs;
  private rotation: NodeJS.Timeout | undefined;
  private rotating: Promise<void> | undefined;
  private child: ChildProcess | undefined;
  private id: ProcessId | undefined;
  private deaths = 0;
  private stopping: Promise<void> | undefined;
  private startFailure: Error | undefined;
  private isReady = false;

  constructor(
    plan: Plan,
    folder: DataFolder,
    print: (line: string) => void,
    logs: typeof usualLogs = usualLogs,
  ) {
    this.logs = logs;
    this.plan = plan;
    this.folder = folder;
    this.print = print;
    this.logFile = folder.log(plan.name);
    this.logStart = fs.statSync(this.logFile, { throwIfNoEntry: false })?.size ?? 0;
  }

  get name(): string {
    return this.plan.name;
  }

  get pid(): number | undefined {
    return this.id?.pid;
  }

  spawn(): void {
    const startedAt = performance.now();
    const logStart = fs.statSync(this.logFile, { throwIfNoEntry: false })?.size ?? 0;
    const child = spawnDetached(this.plan, this.logFile);
    this.rotation ??= setInterval(() => this.rotate(), this.logs.everyMs).unref();
    this.child = child;
    child.once("error", (error) => {
      this.startFailure = error;
    });
    if (child.pid !== undefined) {
      this.id = this.folder.keep(this.name, child.pid, this.plan.stopSignal);
    }
    child.once("exit", (code, signal) => {
      if (this.stopping) return;
      this.folder.forget(this.name);
      if (performance.now() - startedAt > steadyMs) this.deaths = 0;
      this.deaths += 1;
      const pause = Math.min(firstPauseMs * 2 ** (this.deaths - 1), longestPauseMs);
      if (this.isReady) {
        this.print(
          `${this.name} ended (${signal ?? `exit ${code}`}) and restarts in ${pause / 1000} s; its log: ${this.logFile}`,
        );
      }
      setTimeout(() => void this.respawn(logStart), pause).unref();
    });
  }

  private async respawn(logStart: number): Promise<void> {
    try {
      const repaired = await this.plan.repair?.(tail(this.logFile, logLines, logStart));
      if (repaired !== undefined) this.print(repaired);
    } catch (error) {
      this.startFailure = error instanceof Error ? error : new Error(String(error));
      return;
    }
    if (!this.stopping) this.spawn();
  }

  /** Returns when the process is ready; throws LocalProblem with the end of its log when it fails to start. */
  async ready(): Promise<void> {
    const giveUpAt = performance.now() + this.plan.readyMs;
    let last: unknown;
    while (!this.stopping) {
      try {
        await this.plan.ready();
        this.isReady = true;
        return;
      } catch (error) {
        last = error;
      }
      const hopeless =
        this.startFailure ??
        (this.deaths >= steadyRuns ? new Error(`it ended ${this.deaths} times`) : undefined);
      if (hopeless !== undefined || performance.now() > giveUpAt) {
        const log = tail(this.logFile, logLines, this.logStart);
        throw new LocalProblem(
          `${log === "" ? "" : `${log}\n\n`}${this.name} did not start: ${messageOf(hopeless ?? last)}. Its log: ${this.logFile}`,
        );
      }
      await sleep(50);
    }
  }

  private rotate(): void {
    this.rotating ??= rotateLog(this.logFile, this.logs.limitBytes)
      .catch((error: unknown) => {
        clearInterval(this.rotation);
        this.print(`The log ${this.logFile} cannot be rotated: ${messageOf(error)}`);
      })
      .finally(() => (this.rotating = undefined));
  }

  stop(): Promise<void> {
    clearInterval(this.rotation);
    this.stopping ??= (async () => {
      if (this.id) await endProcess(this.id, this.plan.stopSignal, this.plan.graceMs);
      this.folder.forget(this.name);
    })();
    return this.stopping;
  }

  /** Ends the process at once, for the second Ctrl-C. */
  kill(): void {
    this.stopping ??= Promise.resolve();
    if (this.id && this.child?.exitCode === null && this.child.signalCode === null) {
      this.child.kill(this.plan.killSignal ?? "SIGKILL");
    }
  }
}
