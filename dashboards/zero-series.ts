import { errorTypes } from "../contract/errors.ts";
import { pools } from "../contract/operation.ts";
import { upstreamNames } from "../runtime/controls.ts";
import type { MetricName } from "../runtime/metrics.ts";

/** Reasons for which calls need the operator; rarer ones appear with their first fault. */
const refusals = [
  "credential refused",
  "access refused",
  "out of funds",
  "out of quota",
  "credential_missing",
];

/**
 * Label values, in the declared order, that a counter shows from the start on. Prometheus computes no increase for a
 * series that begins with its first event, so that event would alert nobody.
 */
export const zeroSeries: Partial<Record<MetricName, readonly (readonly string[])[]>> = {
  gateway_errors_total: errorTypes.map((type) => [type]),
  gateway_queue_refused_total: pools.map((pool) => [pool]),
  gateway_jobs_total: pools.flatMap((pool) => ["ok", "crashed"].map((outcome) => [pool, outcome])),
  gateway_credits_charged_total: [["live"], ["test"]],
  gateway_canary_alarms_total: upstreamNames.map((upstream) => [upstream]),
  gateway_operator_alerts_total: upstreamNames.flatMap((upstream) =>
    refusals.map((reason) => [upstream, reason]),
  ),
};
