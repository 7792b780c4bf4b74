import { ConnectionError } from "./errors.ts";
import type {
  Batch as BatchState,
  BatchAccepted,
  BatchItem,
  BatchResultLine,
} from "./generated/types.gen.ts";
import { type CallOptions, type Transport, sleep } from "./transport.ts";

export interface BatchOptions extends CallOptions {
  /** What one invalid item means: no batch at all (usual), or a batch without it. */
  validation?: "all_or_nothing" | "skip_invalid";
  /** The most that all items together may cost. */
  maxCredits?: number;
  /** https address that is told of the end. */
  webhookUrl?: string;
}

export interface ResultOptions extends CallOptions {
  /** `sequence` of the last line that was read; the lines behind it follow. */
  after?: number;
  /** Stay until the batch has ended (usual), or end with what there is. */
  follow?: boolean;
}

/** How often in a row a stream of results is opened again without having brought a line. */
const mostReopenings = 10;
const reopenMs = 1000;

/** Up to 10,000 calls that were handed in at once. */
export class Batch {
  /** With it any process finds the batch again. */
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** Counts by state, credits held and charged, an estimate of the end. */
  status(options?: CallOptions): Promise<BatchState> {
    return this.#ask("GET", "", options);
  }

  /** Stops it: nothing new starts, and what runs is given up. What was charged stays charged. */
  cancel(options?: CallOptions): Promise<BatchState> {
    return this.#ask("DELETE", "", options);
  }

  /** The failed items once more. */
  retry(options?: CallOptions): Promise<BatchState> {
    return this.#ask("POST", "/retry", options);
  }

  /**
   * A line per item that has ended, in order of completion, as they come. A connection that breaks is
   * opened again behind the last line.
   */
  async *results({ after = 0, follow = true, ...options }: ResultOptions = {}): AsyncGenerator<
    BatchResultLine,
    void,
    undefined
  > {
    let last = after;
    for (let failures = 0; ;) {
      try {
        const path = `/batches/${encodeURIComponent(this.id)}/results?after=${last}&follow=${follow}`;
        const answer = await this.#transport.open({ method: "GET", path }, options);
        for await (const line of linesOf(answer)) {
          const result = JSON.parse(line) as BatchResultLine;
          last = result.sequence;
          failures = 0;
          yield result;
        }
        return;
      } catch (error) {
        options.signal?.throwIfAborted();
        if (!(error instanceof ConnectionError) || (failures += 1) > mostReopenings) throw error;
        await sleep(reopenMs, options.signal);
      }
    }
  }

  async #ask(
    method: "GET" | "POST" | "DELETE",
    end: string,
    options?: CallOptions,
  ): Promise<BatchState> {
    const path = `/batches/${encodeURIComponent(this.id)}${end}`;
    return (await this.#transport.json<{ data: BatchState }>({ method, path }, options)).data;
  }
}

/** Hands many calls in at once; resolves when the gateway has all of them, or rejects and has none. */
export async function createBatch(
  transport: Transport,
  items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
  { validation, maxCredits, webhookUrl, ...options }: BatchOptions = {},
): Promise<{ batch: Batch; accepted: BatchAccepted }> {
  let body = "";
  for await (const item of items) body += `${JSON.stringify(item)}\n`;
  const query = new URLSearchParams({
    ...(validation === undefined ? {} : { validation }),
    ...(maxCredits === undefined ? {} : { max_credits: String(maxCredits) }),
  });
  const request = {
    method: "POST",
    path: query.size > 0 ? `/batches?${query}` : "/batches",
    body,
    contentType: "application/x-ndjson",
    headers: webhookUrl === undefined ? {} : { "svc-webhook-url": webhookUrl },
  } as const;
  const { data } = await transport.json<{ data: BatchAccepted }>(request, options);
  return { batch: new Batch(transport, data.id), accepted: data };
}

/** The lines of an answer as they arrive; those that are empty only keep the connection open. */
async function* linesOf(answer: Response): AsyncGenerator<string, void, undefined> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectionError("The results broke off", { cause });
      });
      if (done) break;
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = lines.pop() as string;
      for (const line of lines) if (line !== "") yield line;
    }
    if (rest.trim() !== "") yield rest;
  } finally {
    // Whoever leaves the loop early wants no more of it.
    await reader.cancel().catch(() => undefined);
  }
}
