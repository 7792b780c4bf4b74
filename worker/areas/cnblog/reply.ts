import { GatewayError } from "../../../contract/errors.ts";
import { unwrap } from "../../upstreams/tikhub/client.ts";
import { ShapeError, type Wire, array, integer, object, text } from "#wire";

/** The platform's codes for a missing post or user. */
const missing = new Set([20003, 20101, 20112]);
/** The platform's codes for a reached rate limit. */
const busy = new Set([10022, 10023, 10024]);
const retryAfter = 10;
/** More levels than any reply has around its list. */
const deepest = 4;

/**
 * The list of a reply under the first of `keys`, at any depth of `data`, with the members beside it on
 * each level, since these include the page marks.
 */
export function listIn(
  body: unknown,
  keys: readonly string[],
  thing: string,
): { list: readonly unknown[]; beside: Wire } {
  check(body, thing);
  let here = object(dataOf(body));
  let beside: Wire = {};
  for (let depth = 0; here && depth < deepest; depth += 1) {
    beside = { ...beside, ...here };
    const holder = here;
    const list = keys.map((key) => array(holder[key])).find((value) => value !== undefined);
    if (list) return { list, beside };
    if (keys.some((key) => holder[key] === null)) return { list: [], beside };
    here = object(here.data);
  }
  if (isEmpty(body)) throw absent(thing);
  throw new ShapeError(`data.${keys[0]}`);
}

/** The object of a reply that has one of the keys; undefined where there is none. */
export function objectIn(body: unknown, keys: readonly string[], thing: string): Wire {
  check(body, thing);
  const beside = unwrap(body, ...keys);
  if (beside) return beside;
  if (isEmpty(body)) throw absent(thing);
  throw new ShapeError(`data.${keys[0]}`);
}

export function absent(thing: string): GatewayError {
  return new GatewayError("not_found", `There is no such ${thing}`);
}

/** The verdict from the platform's own error code. */
function check(body: unknown, thing: string): void {
  const status = unwrap(body, "ok", "error_code") ?? {};
  const code = integer(status.error_code);
  const message = text(status.msg) ?? text(status.message) ?? "";
  if ((code !== undefined && missing.has(code)) || message.includes("不存在")) throw absent(thing);
  if (code !== undefined && busy.has(code)) {
    throw new GatewayError("upstream_unavailable", "The platform is busy", { retryAfter });
  }
  const ok = integer(status.ok);
  if ((ok !== undefined && ok < 0) || (code !== undefined && code !== 0)) {
    throw new GatewayError("upstream_error", "The platform refused the call");
  }
}

/** `ok` is 0, or `data` is null or empty. */
function isEmpty(body: unknown): boolean {
  const data = dataOf(body);
  const holder = object(data);
  return (
    data === null ||
    (holder !== undefined && (integer(holder.ok) === 0 || Object.keys(holder).length === 0))
  );
}

function dataOf(body: unknown): unknown {
  return object(body)?.data;
}
