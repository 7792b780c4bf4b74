import { Batch, type BatchOptions, createBatch } from "./batches.ts";
import { Crawl, createCrawl } from "./crawls.ts";
import { areas } from "./generated/areas.ts";
import type { BatchAccepted, BatchItem, WebCrawlData } from "./generated/types.gen.ts";
import { Job } from "./jobs.ts";
import type { Input } from "./requests.ts";
import { type CallOptions, type GatewayOptions, Transport } from "./transport.ts";

export { Batch, type BatchOptions, type ResultOptions } from "./batches.ts";
export { Call, ListCall, type Price, type RecordOf } from "./calls.ts";
export { Crawl } from "./crawls.ts";
export { ConnectionError, DeadlineError, GatewayError, isGatewayError } from "./errors.ts";
export type { ErrorBilling, ErrorType } from "./errors.ts";
export { Job, type SubmitOptions } from "./jobs.ts";
export type { Fetch, HeaderReader, HttpAnswer, Signal } from "./platform.ts";
export type { Input } from "./requests.ts";
export { type CallOptions, type GatewayOptions, Transport } from "./transport.ts";
export { WebhookError, verifyWebhook } from "./webhooks.ts";
export type * from "./generated/types.gen.ts";

/** A client for one gateway and key: `new Gateway({ key, baseUrl }).shortclip.search({ q: "tea" })`. */
export type Gateway = Areas & {
  web: {
    /** Crawls a site in the background, page by page. One credit a page. `web.crawl`. */
    crawl(input: Input<WebCrawlData>, options?: CallOptions): Promise<Crawl>;
  };
  /** A crawl that began earlier, perhaps in another process. */
  crawl(id: string): Crawl;
  /** A job that was submitted earlier, perhaps by another process. */
  job<Answer = unknown>(id: string): Job<Answer>;
  /** Submits up to 10,000 calls of any operations at once. */
  createBatch(
    items: Iterable<BatchItem> | AsyncIterable<BatchItem>,
    options?: BatchOptions,
  ): Promise<{ batch: Batch; accepted: BatchAccepted }>;
  /** A batch that was submitted earlier, perhaps by another process. */
  batch(id: string): Batch;
};

type Areas = ReturnType<typeof areas>;

export const Gateway = class {
  constructor(options: GatewayOptions) {
    const transport = new Transport(options);
    const all = areas(transport);
    const crawl = (input: Input<WebCrawlData>, more?: CallOptions) =>
      createCrawl(transport, input, more);
    Object.assign(this, all, {
      web: { ...all.web, crawl },
      crawl: (id: string) => new Crawl(transport, id),
      job: (id: string) => new Job(transport, id),
      createBatch: (items: Iterable<BatchItem>, more?: BatchOptions) =>
        createBatch(transport, items, more),
      batch: (id: string) => new Batch(transport, id),
    });
  }
} as unknown as new (options: GatewayOptions) => Gateway;
