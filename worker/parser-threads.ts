import { Worker } from "node:worker_threads";
import { GatewayError } from "../contract/errors.ts";
import type { AccountTurns } from "../runtime/account-turns.ts";
import type { ThreadData } from "./thread-priority.ts";
import { watchTime } from "./thread-time.ts";

export interface ParserThreadsOptions {
  /** The thread's module: it answers each task with one message `{ result }`. */
  module: URL;
  /** As many slots as there are threads. */
  turns: AccountTurns;
  /** Most memory of a thread's heap. */
  memoryMb: number;
  /** Most memory of a thread's heap and of its buffers, which V8's own limit leaves out. */
  wholeMemoryMb: number;
  /** Most processor time of a task, so that a busy machine fails none. */
  mostMs: number;
  /** Steps of niceness behind the worker; none when absent. The module applies them by `stepBack`. */
  stepsBack?: number | undefined;
  /** Message of the error where a thread exceeds its limits. */
  refusal: string;
}

const memoryCheckMs = 100;

/**
 * Runs the parsers of what sites send outside the event loop, in turns by account. A thread that exceeds its memory
 * or time is ended, and the next task gets a new one.
 */
export class ParserThreads<Task> {
  readonly #options: ParserThreadsOptions;
  readonly #turns: AccountTurns;
  readonly #idle: Worker[] = [];

  constructor(options: ParserThreadsOptions) {
    this.#options = options;
    this.#turns = options.turns;
  }

  /** `given` are buffers of the task that go to the thread without a copy. */
  run<Result>(
    task: Task,
    account: string,
    signal: AbortSignal,
    given: readonly ArrayBuffer[] = [],
  ): Promise<Result> {
    return this.#turns.run(account, () => this.#runOn<Result>(task, signal, given), signal);
  }

  async #runOn<Result>(
    task: Task,
    signal: AbortSignal,
    given: readonly ArrayBuffer[],
  ): Promise<Result> {
    const worker = this.#idle.pop() ?? this.#spawn();
    const { promise, resolve, reject } = Promise.withResolvers<{ result: Result }>();
    const fail = (cause?: unknown) =>
      reject(new GatewayError("upstream_error", this.#options.refusal, { cause }));
    const onEnd = () => fail();
    const stopWatch = watchTime(worker, this.#options.mostMs, onEnd);
    const memory = setInterval(() => {
      void heldBytes(worker).then((bytes) => {
        if (bytes > this.#options.wholeMemoryMb * 2 ** 20) fail();
      });
    }, memoryCheckMs);
    worker.once("message", resolve);
    worker.once("error", fail);
    worker.once("exit", onEnd);
    signal.addEventListener("abort", onEnd, { once: true });
    worker.postMessage(task, given);
    try {
      const { result } = await promise;
      this.#idle.push(worker);
      return result;
    } catch (error) {
      void worker.terminate();
      throw error;
    } finally {
      stopWatch();
      clearInterval(memory);
      worker.off("message", resolve);
      worker.off("error", fail);
      worker.off("exit", onEnd);
      signal.removeEventListener("abort", onEnd);
    }
  }

  #spawn(): Worker {
    const worker = new Worker(this.#options.module, {
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.memoryMb,
        maxYoungGenerationSizeMb: 32,
      },
      workerData: { stepsBack: this.#options.stepsBack ?? 0 } satisfies ThreadData,
    });
    worker.unref();
    // A thread that fails after its task must not take the process down.
    worker.on("error", () => undefined);
    return worker;
  }
}

/** A thread that is only starting, or has ended, has no figures. */
function heldBytes(worker: Worker): Promise<number> {
  return worker.getHeapStatistics().then(
    ({ used_heap_size: heap, external_memory: buffers }) => heap + buffers,
    () => 0,
  );
}
