import type { Protocol } from "puppeteer";
import { headerOf, isWeb, mimeTypeOf } from "./main-document.ts";

/** The headers of an answer may come so long after its failure. */
const headersMs = 2000;

/** One document that the main frame has requested. */
export interface DocumentRequest {
  requestId: string;
  url: string;
  status?: number;
  mimeType?: string;
  declaresEncoding?: boolean;
  refresh?: string | undefined;
  robotsTag?: string | undefined;
  retryAfter?: string | undefined;
  error?: string;
  /** Requests sent for the document: one, and one for each redirect. */
  hops: number;
  headersOverdue: boolean;
}

/** The documents that a main frame has requested, by loader. */
export class DocumentRequests {
  readonly #documents = new Map<string, DocumentRequest>();
  /** Answers so far, the last `Location` and type, by request; they may arrive before the request itself. */
  readonly #headers = new Map<
    string,
    { answers: number; location: string | undefined; mimeType: string }
  >();
  /** Loader of the newest document; one that came without a request counts too. */
  newestLoader: string | undefined;
  redirects = -1;

  get newest(): DocumentRequest | undefined {
    return this.newestLoader === undefined ? undefined : this.#documents.get(this.newestLoader);
  }

  of(loaderId: string): DocumentRequest | undefined {
    return this.#documents.get(loaderId);
  }

  onRequest(event: Protocol.Network.RequestWillBeSentEvent): void {
    this.redirects += 1;
    this.newestLoader = event.loaderId;
    this.#documents.set(event.loaderId, {
      requestId: event.requestId,
      url: event.request.url,
      hops: (this.#documents.get(event.loaderId)?.hops ?? 0) + 1,
      headersOverdue: false,
    });
  }

  onResponse({ loaderId, requestId, response }: Protocol.Network.ResponseReceivedEvent): void {
    const document = this.#documents.get(loaderId);
    if (document?.requestId !== requestId) return;
    document.status = response.status;
    document.mimeType = mimeTypeOf(response);
    document.declaresEncoding = /charset/i.test(headerOf(response.headers, "content-type") ?? "");
    document.refresh = headerOf(response.headers, "refresh");
    document.robotsTag = headerOf(response.headers, "x-robots-tag");
    document.retryAfter = headerOf(response.headers, "retry-after");
  }

  onHeaders(event: Protocol.Network.ResponseReceivedExtraInfoEvent): void {
    const known = this.#headers.get(event.requestId) ?? {
      answers: 0,
      location: undefined,
      mimeType: "",
    };
    known.answers += 1;
    known.location = headerOf(event.headers, "location");
    known.mimeType = headerOf(event.headers, "content-type")?.split(";")[0]?.trim() ?? "";
    this.#headers.set(event.requestId, known);
  }

  /** Calls `onOverdue` when the headers that may explain the failure have had their time. */
  onFailure(
    { requestId, errorText }: Protocol.Network.LoadingFailedEvent,
    onOverdue: () => void,
  ): void {
    for (const document of this.#documents.values()) {
      if (document.requestId !== requestId) continue;
      document.error ??= errorText.replace(/^net::/, "");
      // The headers say why a redirect was not followed, and may come later than the failure.
      setTimeout(() => {
        document.headersOverdue = true;
        onOverdue();
      }, headersMs);
    }
  }

  /** Address and type of the newest document, whether or not Chromium shows it. */
  delivered(): { url: string; mimeType: string } {
    const { requestId = "", url = "" } = this.newest ?? {};
    return { url, mimeType: this.#headers.get(requestId)?.mimeType ?? "" };
  }

  /** Why the newest document failed, and at which URL; undefined while headers may still explain it. */
  failure(): { error: string; url: string } | undefined {
    const { newest } = this;
    if (newest?.error === undefined) return undefined;
    const { answers = 0, location } = this.#headers.get(newest.requestId) ?? {};
    const isExplained = newest.error !== "ERR_ABORTED" || answers >= newest.hops;
    if (!isExplained && !newest.headersOverdue) return undefined;
    const target = location === undefined ? undefined : URL.parse(location, newest.url)?.href;
    const isRefused = target !== undefined && !isWeb(target);
    return { error: newest.error, url: isRefused ? target : newest.url };
  }
}
