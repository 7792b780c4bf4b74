import type { Metrics } from "../../runtime/metrics.ts";
import type { Call } from "../connector.ts";
import type { Fault } from "./fault.ts";
import type { Upstream } from "./upstream.ts";

type About = Pick<Call, "requestId" | "operation" | "timeline">;

export type Notice = ReturnType<typeof reporter>;

/** Log lines and metrics of the transport, for operators. They contain no secrets, bodies or paths. */
export function reporter(log: Call["log"], metrics: Pick<Metrics, "count" | "observe">) {
  const context = (upstream: Upstream, call: About) => ({
    request_id: call.requestId,
    operation: call.operation,
    upstream: upstream.name,
  });

  return {
    /** `status` is the HTTP status or the name of a fault. */
    request(
      { name: upstream }: Upstream,
      { operation }: About,
      status: string | number,
      seconds: number,
    ): void {
      metrics.count("gateway_upstream_requests_total", { upstream, status });
      metrics.count("gateway_upstream_calls_total", { upstream, operation });
      metrics.observe("gateway_upstream_request_duration_seconds", { upstream }, seconds);
    },

    quotaWait({ name: upstream }: Upstream, { operation }: About, seconds: number): void {
      metrics.count("gateway_upstream_quota_wait_seconds_total", { upstream, operation }, seconds);
    },

    /** Cost in dollars, as the upstream reported it. */
    cost({ name: upstream }: Upstream, { operation }: About, dollars: number): void {
      metrics.count("gateway_upstream_cost_dollars_total", { upstream, operation }, dollars);
    },

    retry({ name: upstream }: Upstream): void {
      metrics.count("gateway_upstream_retries_total", { upstream });
    },

    fault(upstream: Upstream, call: About, fault: Fault, status?: number): void {
      call.timeline?.cause(fault.cause);
      if (!fault.unavailable && fault.error.type === "not_found") return;
      log("warn", "upstream fault", {
        ...context(upstream, call),
        cause: fault.cause,
        status,
      });
    },

    limitsUnreachable(upstream: Upstream, call: About, error: Error): void {
      call.timeline?.cause("limits_unreachable");
      const fields = { request_id: call.requestId, upstream: upstream.name, error };
      log("warn", "limits of an upstream account are unreachable", fields);
    },

    /** A fault of an account's own credential, which is no alert for the operator. */
    ownFault(upstream: Upstream, call: About, reason: string): void {
      call.timeline?.cause(`own credential: ${reason}`);
      metrics.count("gateway_own_credential_faults_total", { upstream: upstream.name, reason });
      log("warn", "an account's own credential is refused", {
        ...context(upstream, call),
        reason,
      });
    },

    /** Alert about a fault that only the operator can fix. */
    alert(
      upstream: Upstream,
      call: About,
      reason: string,
      fields: Record<string, string> = {},
    ): void {
      call.timeline?.cause(reason);
      metrics.count("gateway_operator_alerts_total", { upstream: upstream.name, reason });
      log("error", "an upstream needs the operator", {
        ...context(upstream, call),
        reason,
        ...fields,
      });
    },
  };
}
