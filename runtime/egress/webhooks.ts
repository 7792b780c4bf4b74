import ipaddr from "ipaddr.js";
import { EgressError, createResolver, parseRules, resolveChecked } from "./rules.ts";
import type { EgressPolicy, ResolvedAddress } from "./rules.ts";

/** The SSRF filter for webhooks. Callers choose their addresses, so EGRESS_ALLOW does not open them. */

/** Ports for https. An address that WEBHOOK_ALLOW names with a port is reached on that port. */
const ports = [443, 8443];

export interface WebhookSettings {
  /** Entries of WEBHOOK_ALLOW: addresses that are not public. Loopback ones may use http. */
  allow: readonly string[];
  /** Entries of EGRESS_DENY. */
  deny: readonly string[];
  /** "ip:port" of a name server. */
  resolver: string | undefined;
}

export function webhookPolicy({ allow, deny, resolver }: WebhookSettings): EgressPolicy {
  return {
    allow: parseRules("WEBHOOK_ALLOW", allow),
    deny: parseRules("EGRESS_DENY", deny),
    resolve: createResolver(resolver),
    ports,
  };
}

/** Addresses that may be dialled for this URL. Throws EgressError. */
export async function webhookAddresses(url: URL, policy: EgressPolicy): Promise<ResolvedAddress[]> {
  const isPlain = url.protocol === "http:";
  if (!isPlain && url.protocol !== "https:") throw new EgressError("blocked", "not https");
  const port = Number(url.port || (isPlain ? 80 : 443));
  const addresses = await resolveChecked(url.hostname, port, policy);
  if (isPlain && !addresses.every(({ address }) => isLoopback(address))) {
    throw new EgressError("blocked", "not https");
  }
  return addresses;
}

const isLoopback = (address: string): boolean => ipaddr.process(address).range() === "loopback";
