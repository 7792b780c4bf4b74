import { GatewayError, invalid } from "../contract/errors.ts";
import type { Operation } from "../contract/operation.ts";
import type { Scenario } from "../contract/scenario.ts";

const forced = "Forced by Svc-Test-Scenario";

/** Errors that no upstream causes; the pool plays the others where it would call the upstream. */
export function playAtEdge(scenario: Scenario, op: Operation): void {
  switch (scenario) {
    case "validation_error":
      throw invalid("header", "Svc-Test-Scenario", "forced", forced);
    case "insufficient_credits":
      throw new GatewayError("insufficient_credits", forced, {
        billing: { balance_remaining: 0, credits_required: Math.max(op.minimum, 1) },
      });
    case "rate_limited":
      throw new GatewayError("rate_limited", forced, { retryAfter: 1 });
    case "invalid_id":
    case "unauthorized":
    case "internal_error":
      throw new GatewayError(scenario, forced);
  }
}
