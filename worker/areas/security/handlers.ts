import { isIP } from "node:net";
import { GatewayError } from "../../../contract/errors.ts";
import type { security } from "../../../contract/areas/security/index.ts";
import type { Connector } from "../../connector.ts";
import { listed, listedById } from "../../mapping/list.ts";
import { crtSh } from "../../upstreams/crtsh/client.ts";
import { doh } from "../../upstreams/doh/client.ts";
import { advisory } from "../../upstreams/osv/advisory.map.ts";
import { affecting } from "../../upstreams/osv/advisories.ts";
import { osv } from "../../upstreams/osv/client.ts";
import { at, count, need, object } from "#wire";
import { addressServer, domainServer } from "../../upstreams/rdap/servers.ts";
import { registration } from "../../upstreams/rdap/registration.ts";
import { addressRegistration, domainRegistration } from "./registrations.map.ts";
import { advisoryIds } from "./batch.map.ts";
import { certificates } from "./certificates.map.ts";
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
  "security.certificates.search": async (input, call) => {
    const { domain, include_subdomains, include_expired, limit } = input;
    const { body } = await call.send(crtSh, {
      method: "GET",
      path: "/",
      query: {
        q: domain,
        match: include_subdomains ? "ILIKE" : "=",
        exclude: include_expired ? undefined : "expired",
        deduplicate: "Y",
        output: "json",
      },
    });
    const all = certificates(body, domain, include_subdomains);
    const most = Math.min(limit, call.maxRecords);
    return listed(call, {
      limit,
      key: (row) => String(row.certificate_id),
      async fetch(position) {
        // The list grows at its beginning, so a position is the number of the last certificate.
        const last = count(at(position, "before"));
        const left = last === undefined ? all : all.filter((one) => one.certificate_id < last);
        const page = left.slice(0, most);
        const isEnd = page.length === 0 || page.length === left.length;
        return { rows: page, next: isEnd ? null : { before: page.at(-1)?.certificate_id ?? 0 } };
      },
    });
  },
} satisfies Connector<typeof security>;

const notAnAddress = () =>
  new GatewayError(
    "invalid_id",
    "address is not a valid identifier: it must be an IPv4 or IPv6 address",
  );
