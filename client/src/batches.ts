import { ConnectionError } from "./errors.ts";
import type {
  Batch as BatchState,
  BatchAccepted,
  BatchItem,
  BatchResultLine,
  GatewayBatchesCancelData,
  GatewayBatchesCreateData,
  GatewayBatchesGetData,
  GatewayBatchesResultsData,
  GatewayBatchesRetryData,
} from "./generated/types.gen.ts";
import { ownRequest } from "./requests.ts";
import type { HttpAnswer } from "./platform.ts";
import { type CallOptions, type Outgoing, type Transport, sleep } from "./transport.ts";

export interface BatchOptions extends CallOptions {
  /** The effect of an invalid item: no batch at all (default), or a batch without the item. */
  validation?: "all_or_nothing" | "skip_invalid";
  /** The most credits that all items together may cost. */
  maxCredits?: number;
  /** https URL that receives a webhook when the batch ends. */
  webhookUrl?: string;
}

export interface ResultOptions extends CallOptions {
  /** `sequence` of the last line read; the stream continues after it. */
  after?: number;
  /** Whether to stream until the batch has ended (default), or only the lines that exist already. */
  follow?: boolean;
}

/** Most consecutive retries of a result stream without a single line. */
const mostReopenings = 10;
const reopenMs = 1000;

/** A batch of up to 10,000 calls that were submitted together. */
export class Batch {
  /** Any process can continue with the batch by this id. */
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** Counts by state, credits held and charged, an estimate of the end. */
  status(options?: CallOptions): Promise<BatchState> {
    const { id } = this;
    return this.#state(ownRequest<GatewayBatchesGetData>("GET", "/batches/{id}", { id }), options);
  }

  /** Cancels the batch: no further item starts, and running items are abandoned. Earlier charges remain. */
  cancel(options?: CallOptions): Promise<BatchState> {
    const { id } = this;
    return this.#state(
      ownRequest<GatewayBatchesCancelData>("DELETE", "/batches/{id}", { id }),
      options,
    );
  }

  /** Runs the failed items again. */
  retry(options?: CallOptions): Promise<BatchState> {
    const { id } = this;
    return this.#state(
      ownRequest<GatewayBatchesRetryData>("POST", "/batches/{id}/retry", { id }),
      options,
    );
  }

  /**
   * Streams one line per ended item, in order of completion. After a broken connection the stream resumes
   * behind the last line.
   */
  async *results({ after = 0, follow = true, ...options }: ResultOptions = {}): AsyncGenerator<
    BatchResultLine,
    void,
    undefined
  > {
    let last = after;
    for (let failures = 0; ;) {
      try {
        const request = ownRequest<GatewayBatchesResultsData>("GET", "/batches/{id}/results", {
          id: this.id,
          after: last,
          follow,
        });
        const answer = await this.#transport.open(request, options);
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

  async #state(request: Outgoing, options?: CallOptions): Promise<BatchState> {
    return (await this.#transport.json<{ data: BatchState }>(request, options)).data;
  }
}

/** Submits many calls at once. Resolves when the gateway has stored all of them; rejects if it stored none. */
export async function createBatch(
  transport: Transport,
  items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
  { validation, maxCredits, webhookUrl, ...options }: BatchOptions = {},
): Promise<{ batch: Batch; accepted: BatchAccepted }> {
  let body = "";
  for await (const item of items) body += `${JSON.stringify(item)}\n`;
  const query = {
    ...(validation === undefined ? {} : { validation }),
    ...(maxCredits === undefined ? {} : { max_credits: maxCredits }),
  };
  const request = {
    ...ownRequest<GatewayBatchesCreateData>("POST", "/batches", query),
    body,
    contentType: "application/x-ndjson",
    headers: webhookUrl === undefined ? {} : { "svc-webhook-url": webhookUrl },
  } as const;
  const { data } = await transport.json<{ data: BatchAccepted }>(request, options);
  return { batch: new Batch(transport, data.id), accepted: data };
}

/** The lines of an answer as they arrive. Empty lines only keep the connection open and are skipped. */
async function* linesOf(answer: HttpAnswer): AsyncGenerator<string, void, undefined> {
  const reader = (answer.body as ReadableStream<Uint8Array> | null)?.getReader();
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
    // A caller that leaves the loop early needs no further lines.
    await reader.cancel().catch(() => undefined);
  }
}
