import type { Attributes, Span, SpanContext, SpanKind } from "@opentelemetry/api";

export interface Beginning {
  /** Without one it begins a trace of its own. */
  parent?: SpanContext;
  links?: readonly SpanContext[];
  /** Unix time in milliseconds, with fractions. */
  from: number;
  kind?: SpanKind;
  attributes?: Attributes;
  /** One of `newId`, where others know it already. */
  id?: string | undefined;
}

/** Makes the spans of what is sampled. */
export interface Spans {
  newId(): string;
  begin(name: string, beginning: Beginning): Span;
}
