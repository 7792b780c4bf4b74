import { type Span, type SpanContext, SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_HTTP_ROUTE,
  ATTR_URL_PATH,
  ATTR_URL_SCHEME,
} from "@opentelemetry/semantic-conventions";
import type { CallLogEntry, Stage } from "../call-log.ts";
import type { CallTrace, Mark, TraceContext } from "../trace.ts";
import { contextOf, hrTime, parentOf } from "./context.ts";
import { messaging } from "./messaging.ts";
import type { Spans } from "./spans.ts";

/** The spans of a request, or of a job that outlives its request: one for each stage in its call log. */
export class RequestSpans implements CallTrace {
  readonly #spans: Spans;
  readonly #span: Span;
  readonly #context: SpanContext;
  /** Id of the span that sends the job. Workers learn it before the span is made. */
  #sentId: string | undefined;

  constructor(spans: Spans, span: Span) {
    this.#spans = spans;
    this.#span = span;
    this.#context = span.spanContext();
  }

  get traceId(): string {
    return this.#context.traceId;
  }

  sent(): TraceContext {
    this.#sentId ??= this.#spans.newId();
    return contextOf({ ...this.#context, spanId: this.#sentId });
  }

  below(): TraceContext {
    return contextOf(this.#context);
  }

  end(entry: CallLogEntry, marks: readonly Mark<Stage>[], at: number, route?: string): void {
    const sends = this.#sentId === undefined ? undefined : sendingOf(marks);
    for (const [index, mark] of marks.entries()) {
      const to = marks[index + 1]?.at ?? at;
      if (mark === sends) this.#send(entry, mark.at, to);
      else this.#stage(entry, mark, to);
    }
    this.#describe(entry, route);
    this.#span.end(hrTime(at));
  }

  #send({ pool = "", of, operation }: CallLogEntry, from: number, to: number): void {
    const span = this.#spans.begin(`send ${pool}`, {
      parent: this.#context,
      id: this.#sentId,
      kind: SpanKind.PRODUCER,
      from,
      attributes: messaging("send", { pool, operation, jobId: of }),
    });
    span.end(hrTime(to));
  }

  #stage({ work }: CallLogEntry, { name, at }: Mark<Stage>, to: number): void {
    // A second worker's attempt has a trace of its own, so the wait links to it.
    const later = name === "wait" && work?.trace ? parentOf(work.trace, undefined) : undefined;
    const span = this.#spans.begin(name, {
      parent: this.#context,
      from: at,
      links: later && [later],
    });
    span.end(hrTime(to));
  }

  #describe(entry: CallLogEntry, route: string | undefined): void {
    const span = this.#span;
    const { status, error, method } = entry;
    if (entry.fate === "carried") span.updateName(`carry out ${entry.operation ?? ""}`);
    else {
      span.updateName(route === undefined ? method : `${method} ${route}`);
      span.setAttributes({
        [ATTR_HTTP_REQUEST_METHOD]: method === "other" ? "_OTHER" : method,
        [ATTR_URL_SCHEME]: "http",
        // The path as sent contains the caller's input, so its template replaces it.
        ...(route === undefined ? {} : { [ATTR_HTTP_ROUTE]: route, [ATTR_URL_PATH]: route }),
        ...(status === 0 ? {} : { [ATTR_HTTP_RESPONSE_STATUS_CODE]: status }),
      });
    }
    const { operation, pool, mode, account, of, charged } = entry;
    const attributes = {
      "gateway.operation": operation,
      "gateway.pool": pool,
      "gateway.mode": mode,
      "gateway.account": account,
      "gateway.fate": entry.fate,
      "gateway.answer_of": of,
      "gateway.credits": charged?.credits,
      "gateway.records": charged?.records,
      "gateway.ended": entry.ended,
      "gateway.caller_left": entry.left,
      "gateway.attempts": entry.work?.attempt,
    };
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined) span.setAttribute(name, value);
    }
    if (!error) return;
    // A caller's mistake is not an error of the gateway.
    span.setAttribute(status >= 500 ? ATTR_ERROR_TYPE : "gateway.error", error.type);
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  }
}

/** The stage in which the job was sent. A joined call may send the job while it waits for the outcome. */
function sendingOf(marks: readonly Mark<Stage>[]): Mark<Stage> | undefined {
  const named = (stage: Stage) => marks.find(({ name }) => name === stage);
  return named("enqueue") ?? named("wait") ?? marks.at(-1);
}
