import { Batch, type ResultOptions } from "./batches.ts";
import type {
  Crawl as CrawlState,
  CrawlLine,
  WebCrawlCancelData,
  WebCrawlData,
  WebCrawlGetData,
  WebCrawlResumeData,
} from "./generated/types.gen.ts";
import { type Input, outgoing, ownRequest } from "./requests.ts";
import { type CallOptions, type Outgoing, type Transport, keyed } from "./transport.ts";

/** A site that is crawled in the background, page by page. */
export class Crawl {
  /** Any process can continue with the crawl by this id. It is the id of a batch. */
  readonly id: string;
  readonly #transport: Transport;

  constructor(transport: Transport, id: string) {
    this.#transport = transport;
    this.id = id;
  }

  /** Pages found, delivered and waiting, credits held and charged, and why the crawl ended before its site did. */
  status(options?: CallOptions): Promise<CrawlState> {
    const { id } = this;
    return this.#state(ownRequest<WebCrawlGetData>("GET", "/web/crawl/{id}", { id }), options);
  }

  /** Cancels the crawl: no further page starts, and running ones are abandoned. Earlier charges remain. */
  cancel(options?: CallOptions): Promise<CrawlState> {
    const { id } = this;
    return this.#state(
      ownRequest<WebCrawlCancelData>("DELETE", "/web/crawl/{id}", { id }),
      options,
    );
  }

  /** Continues a crawl that its limit, `max_credits` or the balance ended; `limit` and `max_credits` are new totals. */
  resume(
    bounds: NonNullable<WebCrawlResumeData["body"]> = {},
    options?: CallOptions,
  ): Promise<CrawlState> {
    const path = { method: "POST", path: "/web/crawl/{id}/resume" } as const;
    return this.#state(outgoing(path, { id: this.id, ...bounds }), keyed(options));
  }

  /** Streams one line per page, in order of completion; after a broken connection it resumes behind the last line. */
  pages(options?: ResultOptions): AsyncGenerator<CrawlLine, void, undefined> {
    return new Batch(this.#transport, this.id).results(options);
  }

  async #state(request: Outgoing, options?: CallOptions): Promise<CrawlState> {
    return (await this.#transport.json<{ data: CrawlState }>(request, options)).data;
  }
}

/** Begins a crawl; resolves once the gateway has accepted it. */
export async function createCrawl(
  transport: Transport,
  input: Input<WebCrawlData>,
  options?: CallOptions,
): Promise<Crawl> {
  const request = outgoing({ method: "POST", path: "/web/crawl" }, input);
  const { data } = await transport.json<{ data: CrawlState }>(request, keyed(options));
  return new Crawl(transport, data.id);
}
