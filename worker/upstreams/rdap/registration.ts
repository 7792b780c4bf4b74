import { monotonicNow } from "../../../runtime/monotonic.ts";
import type { Call } from "../../connector.ts";
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
  const headers = { accept: "application/rdap+json" };
  return (await call.send(rdapServer(url), { method: "GET", path, headers })).body;
}
