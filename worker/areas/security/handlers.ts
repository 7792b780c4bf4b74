import type { security } from "../../../contract/areas/security/index.ts";
import type { Connector } from "../../connector.ts";
import { listedById } from "../../mapping/list.ts";
import { doh } from "../../upstreams/doh/client.ts";
import { advisory } from "../../upstreams/osv/advisory.map.ts";
import { affecting } from "../../upstreams/osv/advisories.ts";
import { osv } from "../../upstreams/osv/client.ts";
import { need, object } from "#wire";
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
