import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import pLimit from "p-limit";
import { GatewayError } from "../../../contract/errors.ts";

/** The message to a thread. */
export interface MarkdownTask {
  /** Normalised HTML; with the page's own containers for the search of the main content. */
  html: string;
  /** The document's title. */
  title: string;
  mainContentOnly: boolean;
}

const memoryMb = 512;

/**
 * Converts normalised HTML to Markdown outside the event loop. A thread that exceeds its memory or time is ended, and
 * the next page gets a new one.
 */
export class MarkdownThreads {
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();

  constructor(most: number = Math.min(2, availableParallelism())) {
    this.#limit = pLimit(most);
  }

  convert(task: MarkdownTask, signal: AbortSignal): Promise<string> {
    return this.#limit(() => this.#convertOn(this.#idle.pop() ?? this.#spawn(), task, signal));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((worker) => worker.terminate()));
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

  async #convertOn(worker: Worker, task: MarkdownTask, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const fail = (cause: unknown) =>
      reject(
        new GatewayError("upstream_error", "The page could not be turned into Markdown", { cause }),
      );
    const expire = () =>
      reject(
        new GatewayError(
          "upstream_unavailable",
          "The page could not be turned into Markdown in time",
          { status: 504, retryAfter: 5 },
        ),
      );
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
      worker.off("message", resolve);
      worker.off("error", fail);
      worker.off("exit", fail);
      signal.removeEventListener("abort", expire);
    }
  }
}
