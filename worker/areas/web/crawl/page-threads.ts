import { AccountTurns } from "../../../../runtime/account-turns.ts";
import { ParserThreads } from "../../../parser-threads.ts";
import { longWorkSteps } from "../../../thread-priority.ts";
import type { CrawlThreadResults, CrawlThreadTask } from "./page-task.ts";

const threads = 2;
const options = {
  module: new URL("page-thread.ts", import.meta.url),
  memoryMb: 512,
  wholeMemoryMb: 768,
  mostMs: 10_000,
  refusal: "The page takes too much time or memory to read",
};

/** Threads that read pages by plain HTTP, with limits of time and memory. */
export class PageThreads {
  readonly #threads = new ParserThreads<CrawlThreadTask>({
    ...options,
    turns: new AccountTurns({ name: "page threads", slots: threads }),
  });
  /** Nobody waits for a page of a crawl: it is read with what other pages leave of the processors. */
  readonly #crawlThreads = new ParserThreads<CrawlThreadTask>({
    ...options,
    turns: new AccountTurns({ name: "page threads of crawls", slots: threads }),
    stepsBack: longWorkSteps,
  });

  run<Kind extends CrawlThreadTask["kind"]>(
    task: CrawlThreadTask & { kind: Kind },
    account: string,
    signal: AbortSignal,
  ): Promise<CrawlThreadResults[Kind]> {
    const isOfCrawl = task.kind === "allowed" || ("crawl" in task && task.crawl !== undefined);
    return (isOfCrawl ? this.#crawlThreads : this.#threads).run(task, account, signal);
  }
}
