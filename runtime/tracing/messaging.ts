import type { Attributes } from "@opentelemetry/api";

/** OpenTelemetry's semantic conventions for messaging. Their names are not declared stable yet. */
export function messaging(
  step: "send" | "process",
  about: { pool: string; operation: string | undefined; jobId: string | undefined },
): Attributes {
  return {
    "messaging.system": "bullmq",
    "messaging.operation.name": step,
    "messaging.operation.type": step,
    "messaging.destination.name": about.pool,
    ...(about.jobId === undefined ? {} : { "messaging.message.id": about.jobId }),
    ...(about.operation === undefined ? {} : { "gateway.operation": about.operation }),
  };
}
