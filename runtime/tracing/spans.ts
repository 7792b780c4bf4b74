import type { Attributes, Span, SpanContext, SpanKind } from "@opentelemetry/api";

export interface Beginning {
  /** A span without a parent begins a new trace. */
  parent?: SpanContext;
  links?: readonly SpanContext[] | undefined;
  /** Unix time in milliseconds, with fractions. */
  from: number;
  kind?: SpanKind;
  attributes?: Attributes;
  /** An id from `newId`, where another process knows it already. */
  id?: string | undefined;
}

/** Makes the spans of sampled calls and jobs. */
export interface Spans {
  newId(): string;
  begin(name: string, beginning: Beginning): Span;
}
