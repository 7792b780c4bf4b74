import { GatewayError } from "../../../contract/errors.ts";
import { unwrap } from "../../upstreams/tikhub/client.ts";
import { integer, object } from "#wire";

/** No such item, hidden, in review, for its owner alone, or an id that the platform refuses. */
const missing = new Set([-404, -400, 62002, 62004, 62012, 4101131, 500207]);
/** Risk control, too frequent, or trouble on the platform's side. */
const away = new Set([-352, -412, -509, -799, -500, -503, -504]);
const retryAfter = 10;

/**
 * The platform's own reply inside TikHub's wrapper, checked for its own `code`; what it holds stands
 * at or below `data`. `thing` names what the caller asked for by id.
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
  throw new GatewayError("upstream_error", "The platform refused the call");
}

/** `data` is null, all the way in. */
function isNothing(body: unknown): boolean {
  let data = object(body)?.data;
  for (;;) {
    const inner = object(data);
    if (inner === undefined) return data === null;
    if (inner.item === null) return true;
    data = inner.data;
  }
}
