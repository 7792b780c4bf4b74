import { type Span, type SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_REQUEST_RESEND_COUNT,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
} from "@opentelemetry/semantic-conventions";
import type { Asked, Mark, TraceContext, Work, WorkTrace } from "../trace.ts";
import { contextOf, hrTime } from "./context.ts";
import { messaging } from "./messaging.ts";
import type { Spans } from "./spans.ts";

/** Requests of one job beyond this number are counted but have no span. */
const mostRequestSpans = 128;

/**
 * The spans of a job that a worker runs. The first attempt is a child of the span that sent the job; a
 * later attempt has a trace of its own with a link to that span, because the first may still be running.
 */
export class JobSpans implements WorkTrace {
  readonly context: TraceContext;
  readonly #spans: Spans;
  readonly #span: Span;
  readonly #at: number;
  readonly #since = performance.now();
  readonly #stages: Mark[] = [];
  #requests = 0;

  constructor(spans: Spans, sent: SpanContext, work: Work) {
    const { pool, operation, attempt, queued, at, jobId } = work;
    const first = attempt === 1;
    this.#spans = spans;
    this.#at = at;
    if (first) {
      const queue = spans.begin(`queue ${pool}`, { parent: sent, from: at - queued });
      queue.end(hrTime(at));
    }
    this.#span = spans.begin(`process ${pool}`, {
      ...(first ? { parent: sent } : { links: [sent] }),
      from: at,
      kind: SpanKind.CONSUMER,
      attributes: {
        ...messaging("process", { pool, operation, jobId }),
        "gateway.attempt": attempt,
      },
    });
    this.context = contextOf(this.#span.spanContext());
  }

  /** Unix time, measured from the job's start, so that a clock step cannot reorder spans. */
  #now(): number {
    return this.#at + performance.now() - this.#since;
  }

  asked(one: Asked): void {
    this.#requests += 1;
    if (this.#requests > mostRequestSpans) return;
    const to = this.#now();
    const { status, method = "GET", path } = one;
    const sample = status === "sample";
    const name = sample
      ? `sample ${one.upstream}`
      : path === undefined
        ? method
        : `${method} ${path}`;
    const span = this.#spans.begin(name, {
      parent: this.#span.spanContext(),
      from: Math.max(this.#at, to - one.took),
      kind: sample ? SpanKind.INTERNAL : SpanKind.CLIENT,
      attributes: {
        "gateway.upstream": one.upstream,
        "gateway.waited_ms": Math.round(one.waited),
        ...(sample ? {} : http(one, method)),
      },
    });
    const failed = typeof status === "number" ? status >= 400 : !sample;
    if (failed) {
      span.setAttribute(ATTR_ERROR_TYPE, String(status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(hrTime(to));
  }

  stage(name: string): void {
    this.#stages.push({ name, at: this.#now() });
  }

  end(outcome: string): void {
    const at = this.#now();
    const parent = this.#span.spanContext();
    for (const [index, { name, at: from }] of this.#stages.entries()) {
      const to = this.#stages[index + 1]?.at ?? at;
      this.#spans.begin(name, { parent, from }).end(hrTime(to));
    }
    this.#span.setAttribute("gateway.outcome", outcome);
    if (this.#requests > mostRequestSpans)
      this.#span.setAttribute("gateway.requests", this.#requests);
    if (outcome === "internal_error" || outcome === "crashed") {
      this.#span.setAttribute(ATTR_ERROR_TYPE, outcome);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end(hrTime(at));
  }
}

/** Neither the query nor the path as sent: both contain the caller's input, and a query perhaps a credential. */
function http({ status, origin, path, resent = 0 }: Asked, method: string) {
  const url = origin === undefined ? null : URL.parse(origin);
  return {
    [ATTR_HTTP_REQUEST_METHOD]: method,
    ...(url
      ? {
          [ATTR_SERVER_ADDRESS]: url.hostname,
          [ATTR_SERVER_PORT]: Number(url.port || (url.protocol === "https:" ? 443 : 80)),
        }
      : {}),
    ...(path === undefined ? {} : { "url.template": path }),
    ...(typeof status === "number" ? { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status } : {}),
    ...(resent > 0 ? { [ATTR_HTTP_REQUEST_RESEND_COUNT]: resent } : {}),
  };
}
