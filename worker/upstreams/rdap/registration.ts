import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { Call } from "../../connector.ts";
import { isRedirect, targetOf, withRedirects } from "../../transport/moved.ts";
import { found } from "#wire";
import { ianaRdap, rdapServer } from "./client.ts";
import { servicesOf } from "./servers.ts";

type List = "dns" | "ipv4" | "ipv6";

/** IANA's lists change a few times a week, and all calls of this process share them for a day. */
const keptMs = 86_400_000;
const kept = new Map<List, { services: ReturnType<typeof servicesOf>; until: number }>();

async function servicesIn(call: Call, list: List): Promise<ReturnType<typeof servicesOf>> {
  // Test mode answers from samples, which live calls must never see.
  const known = call.mode === "live" ? kept.get(list) : undefined;
  if (known && monotonicNow() < known.until) return known.services;
  const { body } = await call.send(ianaRdap, { method: "GET", path: `/rdap/${list}.json` });
  const services = servicesOf(body);
  if (call.mode === "live" && services.length > 0) {
    kept.set(list, { services, until: monotonicNow() + keptMs });
  }
  return services;
}

/** A registration at the server that IANA's list names for it. */
export async function registration(
  call: Call,
  list: List,
  serverIn: (services: ReturnType<typeof servicesOf>) => string | undefined,
  path: string,
): Promise<unknown> {
  const url = found(serverIn(await servicesIn(call, list)), "registration service");
  return registrationAt(call, url, path);
}

/** Most servers that pass a question on: address blocks move between the registries (RFC 7480, 5.2). */
const mostRedirects = 3;

async function registrationAt(call: Call, server: string, from: string): Promise<unknown> {
  let [url, path] = [server, from];
  for (let redirected = 0; ; redirected += 1) {
    const request = { method: "GET", path, headers: { accept: "application/rdap+json" } } as const;
    const reply = await call.send(withRedirects(rdapServer(url)), request);
    if (!isRedirect(reply)) return reply.body;
    const target = URL.parse(targetOf(reply), `${url.replace(/\/$/, "")}${path}`);
    const isFollowed = redirected < mostRedirects && target?.protocol === "https:";
    const next = found(isFollowed ? target : undefined, "registration");
    [url, path] = [next.origin, next.pathname];
  }
}
