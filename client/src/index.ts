import { areas } from "./generated/areas.ts";
import { type GatewayOptions, Transport } from "./transport.ts";

export { Call, type Input, ListCall, type RecordOf } from "./calls.ts";
export { ConnectionError, DeadlineError, GatewayError, isGatewayError } from "./errors.ts";
export type { ErrorBilling, ErrorType } from "./errors.ts";
export { type CallOptions, type GatewayOptions, Transport } from "./transport.ts";
export { WebhookError, verifyWebhook } from "./webhooks.ts";
export type * from "./generated/types.gen.ts";

/** A gateway and a key to it: `new Gateway({ key, baseUrl }).shortclip.search({ q: "tea" })`. */
export type Gateway = ReturnType<typeof areas>;

export const Gateway = class {
  constructor(options: GatewayOptions) {
    Object.assign(this, areas(new Transport(options)));
  }
} as unknown as new (options: GatewayOptions) => Gateway;
