import type { UpstreamRequest } from "../transport/upstream.ts";

/** A request as a sample sees it. */
export interface SampleRequest extends UpstreamRequest {
  /** Parts of the path that the pattern names. */
  parts: Record<string, string>;
  /** True to answer with empty lists. */
  empty: boolean;
  /** True to continue lists past the first page, whatever the limit. */
  secondPage: boolean;
}

/** Makes a body in the upstream's wire format from the request alone, so that equal requests get equal answers. */
export type Sample = (request: SampleRequest) => unknown;

/** Sample answers of one upstream: "GET /path/{part}" -> sample, and its failure answers. */
export interface Samples {
  upstream: string;
  answers: Readonly<Record<string, Sample>>;
  /** Headers of answers, by the same patterns, where the upstream says something in them. */
  headers?: Readonly<Record<string, (request: SampleRequest) => Record<string, string>>>;
  faults: Readonly<Record<"not_found" | "upstream_error" | "upstream_unavailable", SampleFault>>;
}

export interface SampleFault {
  status: number;
  body: unknown;
}
