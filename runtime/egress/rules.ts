import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { isOwn, isPublic, translated, within } from "./addresses.ts";
import type { Range } from "./addresses.ts";

/**
 * The SSRF filter: which addresses this system dials for a caller. Outgoing requests, webhooks and Chromium's
 * proxy all ask here.
 */

/** Why a destination is not dialled. Only `blocked` is the caller's fault. */
export type EgressFault = "blocked" | "no_such_host" | "lookup_failed";

export class EgressError extends Error {
  readonly fault: EgressFault;

  constructor(fault: EgressFault, message: string) {
    super(message);
    this.name = "EgressError";
    this.fault = fault;
  }
}

/** One entry of EGRESS_ALLOW or EGRESS_DENY. */
export interface EgressRule {
  range: Range;
  /** Every permitted port when absent. */
  port: number | undefined;
}

export interface ResolvedAddress {
  address: string;
  family: 4 | 6;
}

/** Looks a name up; throws EgressError. */
export type Resolve = (name: string) => Promise<ResolvedAddress[]>;

export interface EgressPolicy {
  /** "host:port" of an egress service that resolves, checks and dials for this process. */
  via?: string | undefined;
  /** Addresses that may be dialled although they are not public. */
  allow: readonly EgressRule[];
  /** Addresses that are never dialled, whatever else allows them. */
  deny?: readonly EgressRule[];
  resolve: Resolve;
  /** Ports that may be dialled on public addresses; 80 and 443 when absent, any when empty. */
  ports?: readonly number[] | undefined;
}

const webPorts: readonly number[] = [80, 443];

/** Parses EGRESS_ALLOW entries: an address or CIDR, optionally with a port (`127.0.0.1:8080`, `10.0.0.0/8`, `[fd00::1]:80`). Throws on anything else. */
export function parseEgressAllow(entries: readonly string[]): EgressRule[] {
  return parseRules("EGRESS_ALLOW", entries);
}

/** Parses EGRESS_DENY entries, which are written like those of EGRESS_ALLOW. */
export function parseEgressDeny(entries: readonly string[]): EgressRule[] {
  return parseRules("EGRESS_DENY", entries);
}

/** Parses entries of another setting of the same form; its errors name the setting. */
export function parseRules(setting: string, entries: readonly string[]): EgressRule[] {
  return entries.map((entry) => {
    const rule = ruleOf(entry);
    if (rule) return rule;
    throw new Error(`${setting}: "${entry}" is not an address, address:port or CIDR range`);
  });
}

/** The rule that an entry states; undefined where it states none. */
export function ruleOf(entry: string): EgressRule | undefined {
  const [, range = "", port] =
    /^\[([0-9a-fA-F:.]+(?:\/\d{1,3})?)\](?::(\d{1,5}))?$/.exec(entry) ??
    /^([0-9.]+(?:\/\d{1,2})?)(?::(\d{1,5}))?$/.exec(entry) ??
    /^([0-9a-fA-F:.]+(?:\/\d{1,3})?)$/.exec(entry) ??
    [];
  if (!isRange(range) || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  const [address = "", prefix] = range.split("/");
  const network = ipaddr.process(address);
  const bits = network.kind() === "ipv4" ? 32 : 128;
  // "/99" for "/9" would deny one address in place of a network.
  if (Number(prefix ?? 0) > bits) return undefined;
  return {
    range: [network, prefix === undefined ? bits : Number(prefix)],
    port: port === undefined ? undefined : Number(port),
  };
}

/** Whether a text is an address, with or without a prefix length that fits it. */
export function isRange(text: string): boolean {
  const [address = "", prefix, ...more] = text.split("/");
  const bits = isIP(address) === 4 ? 32 : 128;
  if (isIP(address) === 0 || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
}

/**
 * True when the address is a public one of another machine on one of the policy's ports, or an allow entry
 * names it, and no deny entry does. The check covers what is really dialled: the address itself, and the IPv4
 * address inside a mapped, NAT64 or 6to4 one.
 */
export function checkAddress(
  address: string,
  port: number,
  { allow, deny = [], ports = webPorts }: Pick<EgressPolicy, "allow" | "deny" | "ports">,
): boolean {
  if (!isIP(address)) return false;
  // ipaddr.js takes ::8.8.8.8 for ::ffff:8.8.8.8; in plain hexadecimal it cannot.
  const parsed = ipaddr.process(canonicalHost(address) ?? address);
  const inner = translated(parsed);
  const forms = inner ? [parsed, inner] : [parsed];
  const names = (rule: EgressRule) => forms.some((form) => within(form, rule.range));
  if (deny.some((rule) => names(rule) && (rule.port === undefined || rule.port === port))) {
    return false;
  }
  const permittedPort = ports.length === 0 || ports.includes(port);
  if (
    allow.some(
      (rule) => names(rule) && (rule.port === undefined ? permittedPort : rule.port === port),
    )
  ) {
    return true;
  }
  return permittedPort && isPublic(parsed) && !forms.some(isOwn);
}

/**
 * Looks a host up and checks each address, of literals too. One inside address among public ones blocks the name,
 * because a mixed answer is an attack or a mistake.
 */
export async function resolveChecked(
  host: string,
  port: number,
  policy: EgressPolicy,
): Promise<ResolvedAddress[]> {
  const name = canonicalHost(host);
  if (name === undefined) throw new EgressError("blocked", "not a host name");
  const family = isIP(name);
  const addresses: ResolvedAddress[] =
    family === 4 || family === 6 ? [{ address: name, family }] : await lookUp(name, policy);
  for (const { address } of addresses) {
    if (!checkAddress(address, port, policy)) {
      throw new EgressError("blocked", "destination is not allowed");
    }
  }
  return addresses;
}

async function lookUp(name: string, policy: EgressPolicy): Promise<ResolvedAddress[]> {
  if (name === "localhost" || name.endsWith(".localhost")) {
    return [{ address: "127.0.0.1", family: 4 }];
  }
  // RFC 6761: no name server is asked.
  if (name.endsWith(".invalid")) throw new EgressError("no_such_host", "no such host");
  const addresses = await policy.resolve(name);
  if (addresses.length === 0) throw new EgressError("no_such_host", "no such host");
  return addresses;
}

/** The host as a URL parser writes it: 127.1, decimal, octal and full-width forms become plain; no brackets, no final dot. */
function canonicalHost(host: string): string | undefined {
  const bare = isIP(host) === 6 ? `[${host}]` : host;
  const parsed = URL.parse(`http://${bare}/`);
  if (!parsed || parsed.username || parsed.port || parsed.pathname !== "/") return undefined;
  return parsed.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

const absent = new Set(["ENODATA", "ENOTFOUND"]);

/**
 * Asks the machine's name servers, or `server` ("ip:port") instead of them. It uses c-ares and not getaddrinfo,
 * because a slow name server must not occupy Node's four pool threads for every tenant.
 */
export function createResolver(server?: string): Resolve {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (server) resolver.setServers([server]);
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const found = answers.flatMap((answer, index) =>
      answer.status === "fulfilled"
        ? answer.value.map((address) => ({
            address,
            family: index === 0 ? (4 as const) : (6 as const),
          }))
        : [],
    );
    if (found.length > 0) return found;
    const codes = answers.map((answer) =>
      answer.status === "rejected" ? (answer.reason as NodeJS.ErrnoException).code : undefined,
    );
    if (codes.every((code) => code !== undefined && absent.has(code))) {
      throw new EgressError("no_such_host", "no such host");
    }
    throw new EgressError("lookup_failed", "name lookup failed");
  };
}
