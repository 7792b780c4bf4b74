import { type CoalesceOptions, coalesce } from "../runtime/coalesce.ts";
import { answerLimitMs } from "./client.ts";
import { noAnswer } from "./errors.ts";
import { isUnavailable, retried } from "./retry.ts";

export type CoalescedOptions<Call, Row> = Omit<
  CoalesceOptions<Call, Row>,
  "limit" | "retry" | "isSplit"
> & {
  /** A call is answered or rejected after this time, in milliseconds. */
  limitMs?: number | undefined;
};

/**
 * One statement for the calls that arrive while the previous one is in flight. It is repeated where its
 * connection was lost, and must have no further effect then. A call that fails takes no other with it.
 */
export const coalesced = <Call, Row>({
  limitMs = answerLimitMs,
  ...options
}: CoalescedOptions<Call, Row>): ((call: Call) => Promise<Row>) =>
  coalesce({
    ...options,
    limit: { ms: limitMs, error: () => noAnswer(limitMs) },
    retry: (statement) => retried(statement, limitMs),
    isSplit: (error) => !isUnavailable(error),
  });
