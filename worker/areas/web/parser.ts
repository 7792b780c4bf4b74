import { GatewayError } from "../../../contract/errors.ts";
import { AccountTurns, type Turn } from "../../../runtime/account-turns.ts";
import { ParserThreads } from "../../parser-threads.ts";
import { longWorkSteps } from "../../thread-priority.ts";
import type { MicroformatItem } from "./microformats.map.ts";
import type { PackedFile } from "./site-file.ts";
import type { FileParts, PartSize, Wanted } from "./site-parts.ts";

export interface RobotsTask {
  kind: "robots";
  /** Address in question. */
  url: string;
  robotsUrl: string;
  agent: string;
  text: string;
}

export interface RobotsAnswer {
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

export interface FileTask extends PackedFile {
  kind: "file";
  /** Addresses that a map wants; all, as they stand, where it is absent. */
  wanted?: Wanted | undefined;
  /** Most entries of a feed. */
  most: number;
  /** Whether the links of a page count as well. */
  withLinks: boolean;
  /** Size of the parts of the result. */
  part: PartSize;
}

interface MicroformatsTask {
  kind: "microformats";
  html: string;
  url: string;
}

interface Results {
  robots: RobotsAnswer;
  /** Undefined for a text that is no feed. */
  feed: unknown;
  file: FileParts;
  microformats: { items: MicroformatItem[]; isCut: boolean };
}
export type Task = RobotsTask | FeedTask | FileTask | MicroformatsTask;

/** Waits for room for a file that has become so many bytes long. */
export type Grow = (size: number) => Promise<void> | undefined;

/** Longer files are few, and wait for each other; most of them are packed. */
const longBytes = 8 * 2 ** 20;

/** Runs the parsers of what sites send, in threads of their own. */
export class Parsers {
  readonly #threads: ParserThreads<Task>;
  /** Files of sites take seconds: what is short does not wait for them. */
  readonly #fileThreads: ParserThreads<Task>;
  readonly #files = new AccountTurns({ name: "large files of sites", slots: 8, kept: 1 });
  readonly #longFiles = new AccountTurns({ name: "longest files of sites", slots: 2, kept: 1 });

  constructor(limits = { mostMs: 10_000 }) {
    const options = {
      module: new URL("parser-thread.ts", import.meta.url),
      memoryMb: 256,
      wholeMemoryMb: 512,
      mostMs: limits.mostMs,
      refusal: "The site's answer takes too much time or memory to read",
    };
    const turns = new AccountTurns({ name: "parser threads", slots: 2 });
    const fileTurns = new AccountTurns({ name: "parser threads for files of sites", slots: 2 });
    this.#threads = new ParserThreads({ ...options, turns });
    this.#fileThreads = new ParserThreads({
      ...options,
      turns: fileTurns,
      memoryMb: 192,
      stepsBack: longWorkSteps,
    });
  }

  run<Kind extends Exclude<Task["kind"], "file">>(
    task: Task & { kind: Kind },
    account: string,
    signal: AbortSignal,
  ): Promise<Results[Kind]> {
    return this.#threads.run(task, account, signal);
  }

  /** Reads a file of a site, whose bytes are gone afterwards. Throws where it is broken or too large. */
  async file(task: FileTask, account: string, signal: AbortSignal): Promise<FileParts> {
    const { buffer } = task.bytes;
    // A short body shares its memory with others.
    const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === task.bytes.byteLength;
    const given = isOwn ? [buffer] : [];
    const found = await this.#fileThreads.run<FileParts>(task, account, signal, given);
    if (found.problem === undefined) return found;
    const message = found.problem === "large" ? "too large" : "not valid";
    throw new GatewayError("upstream_error", `The site's answer is ${message}`);
  }

  /** Fetches and reads a file of up to 50 MB in a turn: such files must not wait for a thread in any number. */
  inTurn<T>(account: string, signal: AbortSignal, work: (grow: Grow) => Promise<T>): Promise<T> {
    const fetchAndRead = async () => {
      let turn: Turn | undefined;
      const grow = (size: number) =>
        size <= longBytes || turn
          ? undefined
          : this.#longFiles.take(account, signal).then((taken) => {
              turn = taken;
            });
      try {
        return await work(grow);
      } finally {
        turn?.end();
      }
    };
    return this.#files.run(account, fetchAndRead, signal);
  }
}
