import { areas } from "./generated/areas.ts";
import { Job } from "./jobs.ts";
import { type GatewayOptions, Transport } from "./transport.ts";

export { Call, type Input, ListCall, type RecordOf } from "./calls.ts";
export { ConnectionError, DeadlineError, GatewayError, isGatewayError } from "./errors.ts";
export type { ErrorBilling, ErrorType } from "./errors.ts";
export { Job, type SubmitOptions } from "./jobs.ts";
export { type CallOptions, type GatewayOptions, Transport } from "./transport.ts";
export { WebhookError, verifyWebhook } from "./webhooks.ts";
export type * from "./generated/types.gen.ts";

/** A gateway and a key to it: `new Gateway({ key, baseUrl }).shortclip.search({ q: "tea" })`. */
export type Gateway = ReturnType<typeof areas> & {
  /** A job that was handed in earlier, perhaps by another process. */
  job<Answer = unknown>(id: string): Job<Answer>;
};

export const Gateway = class {
  constructor(options: GatewayOptions) {
    const transport = new Transport(options);
    Object.assign(this, areas(transport), { job: (id: string) => new Job(transport, id) });
  }
} as unknown as new (options: GatewayOptions) => Gateway;
