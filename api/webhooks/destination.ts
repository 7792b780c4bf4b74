import { type GatewayError, type Issue, invalid } from "../../contract/errors.ts";
import { hasHost } from "../../contract/target.ts";
import { EgressError } from "../../worker/egress/rules.ts";
import type { EgressPolicy } from "../../worker/egress/rules.ts";
import { webhookAddresses } from "../../worker/egress/webhooks.ts";
import { unavailable } from "../stores.ts";

/** Where a caller may have webhooks sent. The same rules decide again at each attempt. */

const longestUrl = 2048;

/** Where in the request the URL stands. */
export interface Place {
  in: Issue["in"];
  path: string;
}

/** The URL in its normal form. Throws what the caller is told. */
export async function checkedDestination(
  text: string,
  place: Place,
  policy: EgressPolicy,
): Promise<string> {
  const refuse = (code: string, message: string): GatewayError =>
    invalid(place.in, place.path, code, `${place.path}: ${message}`);
  // Loopback alone may be asked by http, where the operator names it.
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
