import { AccountTurns } from "../../runtime/account-turns.ts";
import { GatewayError } from "../../contract/errors.ts";
import { ParserThreads } from "../parser-threads.ts";
import { type DocumentTask, type DocumentText, problems } from "./document.ts";
import type { DocumentResult } from "./document-thread.ts";

/** The whole document as Markdown, "" where it has no text. A sheet has no heading of its own, so its name is one. */
export function documentMarkdown({ unit, parts }: DocumentText): string {
  return parts
    .map(({ title, markdown }) =>
      unit === "sheet" && title !== undefined && markdown !== ""
        ? `## ${title}\n\n${markdown}`
        : markdown,
    )
    .filter((part) => part !== "")
    .join("\n\n");
}

/** Reads PDFs and office documents in threads of their own. */
export class Documents {
  readonly #threads: ParserThreads<DocumentTask>;

  constructor(limits = { mostMs: 30_000 }) {
    this.#threads = new ParserThreads({
      module: new URL("document-thread.ts", import.meta.url),
      turns: new AccountTurns({ name: "document threads", slots: 2 }),
      memoryMb: 384,
      wholeMemoryMb: 512,
      mostMs: limits.mostMs,
      refusal: "The document takes too much time or memory to read",
    });
  }

  /** Undefined for a file of another format; throws GatewayError for a document that cannot be read. */
  async read(
    task: DocumentTask,
    account: string,
    signal: AbortSignal,
  ): Promise<DocumentText | undefined> {
    const result = await this.#threads.run<DocumentResult>(task, account, signal);
    if (!("problem" in result)) return result;
    if (result.problem === "other") return undefined;
    throw new GatewayError("upstream_error", problems[result.problem]);
  }
}
