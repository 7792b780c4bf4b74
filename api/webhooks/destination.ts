import { type GatewayError, type Issue, invalid } from "../../contract/errors.ts";
import { hasHost } from "../../contract/target.ts";
import { EgressError } from "../../runtime/egress/rules.ts";
import type { EgressPolicy } from "../../runtime/egress/rules.ts";
import { webhookAddresses } from "../../runtime/egress/webhooks.ts";
import { unavailable } from "../stores.ts";

/** SSRF filter for webhook URLs at registration. Each delivery attempt applies the same rules again. */

const longestUrl = 2048;

/** The position of the URL in the request. */
export interface Location {
  in: Issue["in"];
  path: string;
}

/** The URL in its normal form. Throws the error for the caller. */
export async function checkedDestination(
  text: string,
  location: Location,
  policy: EgressPolicy,
): Promise<string> {
  const refuse = (code: string, message: string): GatewayError =>
    invalid(location.in, location.path, code, `${location.path}: ${message}`);
  // Plain http is allowed only to loopback addresses that the operator has named.
  const schemes = policy.allow.length > 0 ? ["https:", "http:"] : ["https:"];
  const url = text.length > longestUrl || /\s/.test(text) ? null : URL.parse(text);
  if (!url || !schemes.includes(url.protocol) || !hasHost(url))
    throw refuse("invalid_format", `must be an https URL of at most ${longestUrl} characters`);
  if (url.username || url.password)
    throw refuse("invalid_format", "must not carry credentials; the signature says who sends");
  if (url.hash) throw refuse("invalid_format", "must not have a fragment");
  try {
    await webhookAddresses(url, policy);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    if (error.fault === "no_such_host")
      throw refuse("no_such_host", "there is no host of this name");
    if (error.fault === "lookup_failed")
      throw unavailable("The host name of the webhook could not be looked up; try again", error);
    throw refuse(
      "destination_not_allowed",
      "its destination is not allowed: webhooks go to public addresses by https, port 443 or 8443",
    );
  }
  return url.href;
}
