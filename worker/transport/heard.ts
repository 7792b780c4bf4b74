import type { Incoming } from "./exchange.ts";
import type { Verdict } from "./upstream.ts";

/** An upstream's answer to a live call, for those who watch its shape or keep it. Answers with tokens are left out. */
export interface Heard {
  requestId: string;
  operation: string;
  upstream: string;
  method: string;
  /** Without the query. */
  path: string;
  /** The request as text, the same for equal requests; it contains no credential. */
  question: () => string;
  incoming: Incoming;
  /** The request had an own credential of its account, so the answer says nothing about the operator's. */
  isOwn?: boolean | undefined;
  /** The parsed body and what the upstream's `judge` said; absent where a library reads the answer itself. */
  judged?: { body: unknown; verdict: Verdict } | undefined;
}
