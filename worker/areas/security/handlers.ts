import { isIP } from "node:net";
import { GatewayError } from "../../../contract/errors.ts";
import type { security } from "../../../contract/areas/security/index.ts";
import type { Connector } from "../../connector.ts";
import { listedById } from "../../mapping/list.ts";
import { doh } from "../../upstreams/doh/client.ts";
import { advisory } from "../../upstreams/osv/advisory.map.ts";
import { affecting } from "../../upstreams/osv/advisories.ts";
import { osv } from "../../upstreams/osv/client.ts";
import { need, object } from "#wire";
import { addressServer, domainServer } from "../../upstreams/rdap/servers.ts";
import { registration } from "../../upstreams/rdap/registration.ts";
import { addressRegistration, domainRegistration } from "./registrations.map.ts";
import { advisoryIds } from "./batch.map.ts";
import { dnsAnswer } from "./dns.map.ts";

export default {
  "security.advisories.get": async ({ id }, call) => {
    const path = `/v1/vulns/${encodeURIComponent(id)}`;
    const { body } = await call.send(osv, { method: "GET", path });
    return { data: advisory(need(object(body), "vuln")) };
  },
  "security.advisories.by_package": async ({ purl, limit }, call) =>
    listedById(call, { limit }, (position) => affecting(call, { package: { purl } }, position)),
  "security.advisories.batch": async ({ purls }, call) => {
    const body = { queries: purls.map((purl) => ({ package: { purl } })) };
    const answer = await call.send(osv, { method: "POST", path: "/v1/querybatch", body });
    return { data: advisoryIds(purls, answer.body) };
  },
  "security.domains.get": async ({ domain }, call) => {
    const path = `/domain/${encodeURIComponent(domain)}`;
    const body = await registration(call, "dns", (all) => domainServer(all, domain), path);
    return { data: domainRegistration(body) };
  },
  "security.addresses.get": async ({ address }, call) => {
    const family = isIP(address);
    if (family === 0) throw notAnAddress();
    const list = family === 6 ? "ipv6" : "ipv4";
    const path = `/ip/${encodeURIComponent(address)}`;
    const body = await registration(call, list, (all) => addressServer(all, address), path);
    return { data: addressRegistration(body) };
  },
  "security.dns.get": async ({ name, type }, call) => {
    const { body } = await call.send(doh, {
      method: "GET",
      path: "/dns-query",
      query: { name, type },
      headers: { accept: "application/dns-json" },
    });
    return { data: dnsAnswer(name, type, body) };
  },
} satisfies Connector<typeof security>;

const notAnAddress = () =>
  new GatewayError(
    "invalid_id",
    "address is not a valid identifier: it must be an IPv4 or IPv6 address",
  );
