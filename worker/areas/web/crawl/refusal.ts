import { GatewayError } from "../../../../contract/errors.ts";
import type { SiteAnswer } from "../../../transport/site.ts";

/** Throws GatewayError where a site answered with another status than success. */
export function refuse({ status, headers }: Pick<SiteAnswer, "status" | "headers">): void {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) {
    throw new GatewayError("not_found", `The site answered ${status}: the page does not exist`);
  }
  const message = `The site answered with status ${status}`;
  if (status === 429 || status >= 500) {
    const seconds = Number(headers?.["retry-after"] ?? Number.NaN);
    const retryAfter = seconds > 0 ? Math.min(60, Math.ceil(seconds)) : 5;
    throw new GatewayError("upstream_unavailable", message, { retryAfter });
  }
  throw new GatewayError("upstream_error", message);
}
