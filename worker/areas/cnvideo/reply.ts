import { GatewayError } from "../../../contract/errors.ts";
import { unwrap } from "../../upstreams/tikhub/client.ts";
import { integer, object } from "#wire";

/** A bad request: of a refused id where the caller gave one, else one that only the gateway can have made. */
const bad = -400;
/** Codes for not found: no such item, hidden, in review, private, or a refused id. */
const missing = new Set([-404, bad, 62002, 62004, 62012, 4101131, 500207]);
/** Codes for unavailable: risk control, rate limit, or a fault of the platform. */
const away = new Set([-352, -412, -509, -799, -500, -503, -504]);
const retryAfter = 10;

/**
 * The platform's own reply inside TikHub's wrapper, after a check of its own `code`; the content lies at
 * or below `data`. `thing` names the item that the caller requested by id.
 */
export function platformReply(body: unknown, thing?: string): unknown {
  const code = integer(unwrap(body, "code")?.code) ?? 0;
  if (code === 0 && (thing === undefined || !isNothing(body))) return body;
  if (thing !== undefined && (code === 0 || missing.has(code))) {
    throw new GatewayError("not_found", `There is no such ${thing}`);
  }
  if (away.has(code)) {
    throw new GatewayError("upstream_unavailable", "The platform is not available", { retryAfter });
  }
  if (code === bad) throw new GatewayError("internal_error", "Internal error");
  throw new GatewayError("upstream_error", "The platform refused the call");
}

/** True when `data` is null at every level. */
function isNothing(body: unknown): boolean {
  let data = object(body)?.data;
  for (;;) {
    const inner = object(data);
    if (inner === undefined) return data === null;
    if (inner.item === null) return true;
    data = inner.data;
  }
}
