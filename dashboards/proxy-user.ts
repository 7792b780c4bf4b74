import { BlockList, isIP } from "node:net";
import type { FastifyRequest } from "fastify";
import type { Visitor } from "./login.ts";
import { userName } from "./users.ts";

/** The users whom a trusted proxy has authenticated, and names in a header. */
export interface ProxyUsers {
  /** Lower-case name of the header. */
  header: string;
  /** Names with the role operator; `*` stands for all. The others are viewers. */
  operators: readonly string[];
  /** Addresses and CIDR ranges of the proxies. */
  proxies: readonly string[];
}

/** True for a connection that comes from one of the proxies itself, whatever its headers say. */
export function isFrom(address: string | undefined, proxies: readonly string[]): boolean {
  const family = isIP(address ?? "");
  if (address === undefined || family === 0) return false;
  const trusted = new BlockList();
  for (const proxy of proxies) {
    const [network = "", bits] = proxy.split("/");
    const kind = isIP(network);
    const most = kind === 4 ? 32 : 128;
    const prefix = bits === undefined ? most : Number(bits);
    if (kind === 0 || !(prefix >= 0 && prefix <= most)) continue;
    trusted.addSubnet(network, prefix, kind === 4 ? "ipv4" : "ipv6");
  }
  // An IPv4 address in the form of IPv6 matches the rules of IPv4.
  return trusted.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** The user whom the proxy names; undefined for connections from elsewhere and for names that cannot be one. */
export function proxyUser(
  request: Pick<FastifyRequest, "headers" | "socket">,
  settings: ProxyUsers | undefined,
): Visitor | undefined {
  if (!settings || !isFrom(request.socket.remoteAddress, settings.proxies)) return undefined;
  const value = request.headers[settings.header];
  // A comma separates the values of a header that was sent twice: one of them may be the client's own.
  if (typeof value !== "string" || value.includes(",") || !userName.test(value)) return undefined;
  const isOperator = settings.operators.some(
    (name) => name === "*" || name.toLowerCase() === value.toLowerCase(),
  );
  return { user: value, role: isOperator ? "operator" : "viewer", isProxied: true };
}
