import { AccountTurns } from "../../../runtime/account-turns.ts";
import { ParserThreads } from "../../parser-threads.ts";
import type { MicroformatItem } from "./microformats.map.ts";
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
  /** Whether the links of a page count as well. */
  withLinks: boolean;
}

interface MicroformatsTask {
  kind: "microformats";
  html: string;
  url: string;
}

interface Results {
  robots: RobotsRules;
  /** Undefined for a text that is no feed. */
  feed: unknown;
  file: SiteFile;
  microformats: { items: MicroformatItem[]; isCut: boolean };
}
export type Task = RobotsTask | FeedTask | FileTask | MicroformatsTask;

/** Runs the parsers of what sites send, in threads of their own. */
export class Parsers {
  readonly #threads: ParserThreads<Task>;
  readonly #files = new AccountTurns({ name: "large files of sites", slots: 8, kept: 1 });

  constructor(limits = { mostMs: 10_000 }) {
    this.#threads = new ParserThreads({
      module: new URL("parser-thread.ts", import.meta.url),
      turns: new AccountTurns({ name: "parser threads", slots: 2 }),
      memoryMb: 256,
      wholeMemoryMb: 512,
      mostMs: limits.mostMs,
      refusal: "The site's answer takes too much time or memory to read",
    });
  }

  run<Kind extends Task["kind"]>(
    task: Task & { kind: Kind },
    account: string,
    signal: AbortSignal,
  ): Promise<Results[Kind]> {
    return this.#threads.run(task, account, signal);
  }

  /** Fetches and reads a file of up to 50 MB in a turn: such files must not wait for a thread in any number. */
  inTurn<T>(account: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return this.#files.run(account, work, signal);
  }
}
