import { Worker } from "node:worker_threads";
import { GatewayError } from "../../../contract/errors.ts";
import { AccountTurns } from "../../../runtime/account-turns.ts";
import type { SiteFile } from "./site-file.ts";

export interface RobotsTask {
  kind: "robots";
  /** Address in question. */
  url: string;
  robotsUrl: string;
  agent: string;
  text: string;
}

export interface RobotsRules {
  isAllowed: boolean;
  /** Line of the rule that decides, from 1. */
  line: number | undefined;
  crawlDelay: number | undefined;
  sitemaps: string[];
}

export interface FeedTask {
  kind: "feed";
  text: string;
  most: number;
}

export interface FileTask {
  kind: "file";
  bytes: Uint8Array;
  contentType: string;
  most: number;
}

interface Results {
  robots: RobotsRules;
  /** Undefined for a text that is no feed. */
  feed: unknown;
  file: SiteFile;
}
export type Task = RobotsTask | FeedTask | FileTask;

const threads = 2;
const memoryMb = 256;
const mostMs = 10_000;

/**
 * Runs the parsers of what sites send outside the event loop, in turns by account. A thread that exceeds its memory
 * or time is ended, and the next text gets a new one.
 */
export class Parsers {
  readonly #turns = new AccountTurns({ name: "parser threads", slots: threads });
  readonly #idle: Worker[] = [];
  readonly #mostMs: number;

  constructor(limits = { mostMs }) {
    this.#mostMs = limits.mostMs;
  }

  run<Kind extends Task["kind"]>(
    task: Task & { kind: Kind },
    account: string,
    signal: AbortSignal,
  ): Promise<Results[Kind]> {
    return this.#turns.run(account, () => this.#runOn<Results[Kind]>(task, signal), signal);
  }

  async #runOn<Result>(task: Task, signal: AbortSignal): Promise<Result> {
    const worker = this.#idle.pop() ?? spawn();
    const { promise, resolve, reject } = Promise.withResolvers<{ result: Result }>();
    const fail = (cause?: unknown) =>
      reject(
        new GatewayError(
          "upstream_error",
          "The site's answer takes too much time or memory to read",
          {
            cause,
          },
        ),
      );
    const timer = setTimeout(fail, this.#mostMs);
    const onEnd = () => fail();
    worker.once("message", resolve);
    worker.once("error", fail);
    worker.once("exit", onEnd);
    signal.addEventListener("abort", onEnd, { once: true });
    worker.postMessage(task);
    try {
      const { result } = await promise;
      this.#idle.push(worker);
      return result;
    } catch (error) {
      void worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.off("message", resolve);
      worker.off("error", fail);
      worker.off("exit", onEnd);
      signal.removeEventListener("abort", onEnd);
    }
  }
}

function spawn(): Worker {
  const worker = new Worker(new URL("parser-thread.ts", import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
  });
  worker.unref();
  // A thread that fails after its task must not take the process down.
  worker.on("error", () => undefined);
  return worker;
}
