import { GatewayError } from "../../../../contract/errors.ts";
import type { Call } from "../../../connector.ts";
import { retryAfterMs, retryAfterOf } from "../../../transport/retry.ts";
import type { SiteAnswer } from "../../../transport/site.ts";

/** Throws GatewayError where a site answered with another status than success. */
export function refuse(
  { status, headers }: Pick<SiteAnswer, "status" | "headers">,
  { startedAt }: Pick<Call, "startedAt">,
): void {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) {
    throw new GatewayError("not_found", `The site answered ${status}: the page does not exist`);
  }
  const message = `The site answered with status ${status}`;
  if (status === 429 || status >= 500) {
    const retryAfter = retryAfterOf(retryAfterMs(headers?.["retry-after"], startedAt));
    throw new GatewayError("upstream_unavailable", message, { retryAfter });
  }
  throw new GatewayError("upstream_error", message);
}
