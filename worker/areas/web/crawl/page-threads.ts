import { AccountTurns } from "../../../../runtime/account-turns.ts";
import { ParserThreads } from "../../../parser-threads.ts";
import type { CrawlThreadResults, CrawlThreadTask } from "./page-task.ts";

const threads = 2;

/** Threads that read pages by plain HTTP, with limits of time and memory. */
export class PageThreads {
  readonly #threads = new ParserThreads<CrawlThreadTask>({
    module: new URL("page-thread.ts", import.meta.url),
    turns: new AccountTurns({ name: "page threads", slots: threads }),
    memoryMb: 512,
    wholeMemoryMb: 768,
    mostMs: 10_000,
    refusal: "The page takes too much time or memory to read",
  });

  run<Kind extends CrawlThreadTask["kind"]>(
    task: CrawlThreadTask & { kind: Kind },
    account: string,
    signal: AbortSignal,
  ): Promise<CrawlThreadResults[Kind]> {
    return this.#threads.run(task, account, signal);
  }
}
