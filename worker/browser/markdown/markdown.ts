import { Worker } from "node:worker_threads";
import { GatewayError } from "../../../contract/errors.ts";
import { AccountTurns, type Turn } from "../../../runtime/account-turns.ts";
import { watchTime } from "../../thread-time.ts";
import { pageTooLarge } from "../chromium/failure.ts";

/** The message to a thread. */
export interface MarkdownTask {
  /** Normalised HTML; with the page's own containers for the search of the main content. */
  html: string;
  /** The document's title. */
  title: string;
  mainContentOnly: boolean;
}

const memoryMb = 512;
/** One is left for short pages while a long one is converted. */
const threads = 2;
/**
 * Characters of a long page. Their search for the main content takes 10 to 20 times the processor time of their
 * conversion: 1.4 to 13 s instead of 0.2 to 1.3 s for 12 MB.
 */
const longPage = { whole: 2_000_000, mainContent: 200_000 };

/** Processor time of a thread in milliseconds. */
export interface MarkdownLimits {
  /** A page whose main content is not found by then is converted whole. */
  mainContentMs: number;
  conversionMs: number;
}
const defaultLimits: MarkdownLimits = { mainContentMs: 2000, conversionMs: 10_000 };

/** The thread was ended because it took too much processor time. */
class OverLimit extends Error {}

/**
 * Converts normalised HTML to Markdown outside the event loop, in turns by account. A thread that exceeds its memory
 * or time is ended, and the next page gets a new one.
 */
export class MarkdownThreads {
  readonly #turns = new AccountTurns({ name: "Markdown threads", slots: threads });
  readonly #longPages = new AccountTurns({
    name: "Markdown threads for long pages",
    slots: threads - 1,
  });
  readonly #limits: MarkdownLimits;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();

  constructor(limits = defaultLimits) {
    this.#limits = limits;
  }

  async convert(task: MarkdownTask, account: string, signal: AbortSignal): Promise<string> {
    const turns = isLong(task) ? [this.#longPages, this.#turns] : [this.#turns];
    const taken: Turn[] = [];
    try {
      for (const turn of turns) {
        taken.push(
          await turn.take(account, signal).catch(() => {
            throw late();
          }),
        );
      }
      return await this.#convertWithin(task, signal);
    } finally {
      for (const turn of taken) turn.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
  }

  async #convertWithin(task: MarkdownTask, signal: AbortSignal): Promise<string> {
    const { mainContentMs, conversionMs } = this.#limits;
    try {
      if (task.mainContentOnly) return await this.#convertOn(task, mainContentMs, signal);
    } catch (error) {
      if (!(error instanceof OverLimit)) throw error;
    }
    try {
      return await this.#convertOn({ ...task, mainContentOnly: false }, conversionMs, signal);
    } catch (error) {
      if (!(error instanceof OverLimit)) throw error;
      throw pageTooLarge(`${conversionMs / 1000} s of processor time as Markdown`);
    }
  }

  #spawn(): Worker {
    const worker = new Worker(new URL("markdown-thread.ts", import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 64 },
    });
    worker.unref();
    this.#all.add(worker);
    worker.once("exit", () => this.#all.delete(worker));
    // A thread that fails while idle must not take the process down.
    worker.on("error", () => this.#idle.splice(this.#idle.indexOf(worker) >>> 0, 1));
    return worker;
  }

  async #convertOn(task: MarkdownTask, limitMs: number, signal: AbortSignal): Promise<string> {
    const worker = this.#idle.pop() ?? this.#spawn();
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const fail = (cause: unknown) =>
      reject(
        new GatewayError("upstream_error", "The page could not be turned into Markdown", { cause }),
      );
    const expire = () => reject(late());
    const stopWatch = watchTime(worker, limitMs, () => reject(new OverLimit()));
    worker.once("message", resolve);
    worker.once("error", fail);
    worker.once("exit", fail);
    signal.addEventListener("abort", expire, { once: true });
    if (signal.aborted) expire();
    else worker.postMessage(task);
    try {
      const markdown = await promise;
      this.#idle.push(worker);
      return markdown;
    } catch (error) {
      void worker.terminate();
      throw error;
    } finally {
      stopWatch();
      worker.off("message", resolve);
      worker.off("error", fail);
      worker.off("exit", fail);
      signal.removeEventListener("abort", expire);
    }
  }
}

function isLong({ html, mainContentOnly }: MarkdownTask): boolean {
  return html.length > (mainContentOnly ? longPage.mainContent : longPage.whole);
}

function late(): GatewayError {
  return new GatewayError(
    "upstream_unavailable",
    "The page could not be turned into Markdown in time",
    { status: 504, retryAfter: 5 },
  );
}
