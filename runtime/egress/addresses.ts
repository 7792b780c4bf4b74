import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

export type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type Range = [Address, number];

/**
 * IANA IPv4 Special-Purpose Address Registry, as last updated on 2025-10-09, and multicast. The list includes
 * entries that the registry calls globally reachable: they are anycast services and sinks, never a site.
 */
const specialIpv4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/** All global unicast addresses (IANA IPv6 Address Space) lie in this range; IPv4-compatible, site-local and multicast do not. */
const globalUnicast = range("2000::/3");

/** IANA IPv6 Special-Purpose Address Registry, as last updated on 2025-10-09, inside 2000::/3. */
const specialIpv6 = ["2001::/23", "2001:db8::/32", "2620:4f:8000::/48", "3fff::/20"];

/**
 * Addresses that look public but belong to services inside a cloud, by the clouds' own documents of 2026. The
 * services of other clouds have link-local, shared or unique local addresses; Huawei's in 214.0.0.0/8 lie among
 * public sites, so operators there set EGRESS_DENY.
 */
const insideClouds = [
  // AWS: resources of VPC Lattice.
  "129.224.0.0/17",
  // Azure: host agent, name server, health probes.
  "168.63.129.16/32",
  // Google: Services of GKE clusters, and Google's APIs (direct, restricted and private).
  "34.118.224.0/20",
  "34.126.0.0/18",
  "199.36.153.4/30",
  "199.36.153.8/30",
  // Google, IPv6: routers, Services of GKE clusters, and Google's APIs as above.
  "2600:2d00:0:2::/63",
  "2600:2d00:0:4::/64",
  "2001:4860:8040::/42",
  "2600:2d00:2:1000::/56",
  "2600:2d00:2:2000::/56",
  // IBM Cloud: service endpoints and services of the infrastructure.
  "161.26.0.0/16",
  "166.8.0.0/14",
  // Tencent Cloud: name servers.
  "183.60.82.98/32",
  "183.60.83.19/32",
];

/** Ranges inside 0.0.0.0/0 and 2000::/3 that are not public; the network policies of deploy/ name the same. */
export const notPublic: readonly string[] = [...specialIpv4, ...specialIpv6, ...insideClouds];

const denied = notPublic.map(range);

/** Ranges of translated addresses, each with the byte at which the dialled IPv4 address begins. */
const translations: [Range, number][] = [
  // NAT64 (RFC 6052). The prefix for local use, 64:ff9b:1::/48, has no fixed place and is not public.
  [range("64:ff9b::/96"), 12],
  // 6to4 (RFC 3056).
  [range("2002::/16"), 2],
];

function range(cidr: string): Range {
  return ipaddr.parseCIDR(cidr);
}

export function within(address: Address, [network, prefix]: Range): boolean {
  return (
    address.kind() === network.kind() &&
    (address as ipaddr.IPv4).match(network as ipaddr.IPv4, prefix)
  );
}

/** The IPv4 address inside a NAT64 or 6to4 address. */
export function translated(address: Address): ipaddr.IPv4 | undefined {
  const found = translations.find(([prefix]) => within(address, prefix));
  if (!found) return undefined;
  const [, at] = found;
  return new ipaddr.IPv4(address.toByteArray().slice(at, at + 4));
}

/** True for an address that belongs to one place on the public internet. */
export function isPublic(address: Address): boolean {
  const inner = translated(address);
  if (inner) return isPublic(inner);
  if (address.kind() === "ipv6" && !within(address, globalUnicast)) return false;
  return !denied.some((special) => within(address, special));
}

const lookEveryMs = 5000;
let own = new Set<string>();
let lookedAt = -Infinity;

/** True for an address of this machine's interfaces, public ones too. Interfaces may change while the process runs. */
export function isOwn(address: Address): boolean {
  const now = performance.now();
  if (now - lookedAt > lookEveryMs) {
    lookedAt = now;
    own = new Set(
      Object.values(networkInterfaces())
        .flatMap((found) => found ?? [])
        .map((found) => ipaddr.process(found.address.split("%", 1)[0] ?? "").toNormalizedString()),
    );
  }
  return own.has(address.toNormalizedString());
}
