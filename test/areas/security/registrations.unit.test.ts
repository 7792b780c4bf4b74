import { describe, expect, test } from "vitest";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";
import { ianaRdap, rdap } from "../../../worker/areas/security/samples/rdap.ts";
import type { Samples } from "../../../worker/sandbox/sample.ts";
import { rdapServer } from "../../../worker/upstreams/rdap/client.ts";
import { addressServer, domainServer, servicesOf } from "../../../worker/upstreams/rdap/servers.ts";
import { play as playOperation } from "../../operations/play.ts";
import { play } from "../play.ts";

const services = servicesOf({
  services: [
    [
      ["com", "net"],
      ["http://plain.example/", "https://com.example/v1/"],
    ],
    [["co.uk"], ["https://couk.example/"]],
    [["UK"], ["https://uk.example/"]],
    [["plain"], ["http://only.example/"]],
    [["192.0.0.0/8", "203.0.0.0/8"], ["https://big.example/"]],
    [["192.0.2.0/24"], ["https://small.example/"]],
    [["2001:db8::/32"], ["https://six.example/"]],
  ],
});

test.each([
  ["kit.com", "https://com.example/v1/"],
  ["kit.co.uk", "https://couk.example/"],
  ["kit.org.uk", "https://uk.example/"],
  ["kit.plain", undefined],
  ["kit.example", undefined],
  ["com", undefined],
])("the RDAP server of %s is %s", (domain, url) => {
  expect(domainServer(services, domain)).toBe(url);
});

test.each([
  ["192.0.2.1", "https://small.example/"],
  ["192.0.3.1", "https://big.example/"],
  ["2001:db8::1", "https://six.example/"],
  ["10.0.0.1", undefined],
  ["::1", undefined],
])("the RDAP server of the address %s is %s", (address, url) => {
  expect(addressServer(services, address)).toBe(url);
});

async function dataOf(id: string, input: Record<string, unknown>, answer: unknown) {
  const samples: Samples[] = [
    ianaRdap,
    {
      ...rdap,
      answers: { "GET /domain/{domain}": () => answer, "GET /ip/{address}": () => answer },
    },
  ];
  const played = await play(id, input, { samples });
  if (!played.ok) throw new Error(played.message);
  return played.data;
}

const named = (role: string, fn: string, more: object = {}) => ({
  roles: [role],
  vcardArray: [
    "vcard",
    [
      ["version", {}, "text", "4.0"],
      ["fn", {}, "text", fn],
    ],
  ],
  ...more,
});

describe("security registrations", () => {
  test("security surprise 5: the registrar holds the contact for abuse", async () => {
    const abuse = {
      roles: ["abuse"],
      vcardArray: ["vcard", [["email", {}, "text", "abuse@registrar.example"]]],
    };
    const entities = [named("registrar", "Registrar", { entities: [abuse] })];
    const data = await dataOf(
      "security.domains.get",
      { domain: "kit.com" },
      { ldhName: "kit.com", entities },
    );
    expect(data).toEqual({
      domain: "kit.com",
      statuses: [],
      registrar: "Registrar",
      abuse_email: "abuse@registrar.example",
      name_servers: [],
    });
  });

  test("security surprise 6: names are small letters without a dot at the end", async () => {
    const answer = {
      ldhName: "KIT.COM.",
      nameservers: [{ ldhName: "NS1.Kit.example." }],
      secureDNS: { delegationSigned: false },
    };
    const data = await dataOf("security.domains.get", { domain: "Kit.com." }, answer);
    expect(data).toEqual({
      domain: "kit.com",
      statuses: [],
      name_servers: ["ns1.kit.example"],
      is_signed: false,
    });
  });

  test("security surprise 7: an ending without an RDAP service is not found", async () => {
    const input = { domain: "kit.nowhere" };
    const played = await play("security.domains.get", input, { samples: [ianaRdap, rdap] });
    expect(played).toMatchObject({ ok: false, type: "not_found" });
  });

  test("the organisation goes before the person", async () => {
    const lines = [
      ["fn", {}, "text", "Sam"],
      ["org", {}, "text", "Sample Works"],
    ];
    const answer = {
      startAddress: "192.0.2.0",
      endAddress: "192.0.2.255",
      events: [{ eventAction: "registration", eventDate: "2023-12-28T17:24:33-05:00" }],
      entities: [{ roles: ["technical", "registrant"], vcardArray: ["vcard", lines] }],
    };
    const data = await dataOf("security.addresses.get", { address: "192.0.2.9" }, answer);
    expect(data).toEqual({
      start_address: "192.0.2.0",
      end_address: "192.0.2.255",
      statuses: [],
      registered_at: "2023-12-28T22:24:33.000Z",
      registrant: "Sample Works",
    });
  });

  test("security: a value that only looks like an address is refused", async () => {
    for (const address of ["999.0.0.1", "1:2:3"])
      expect(await play("security.addresses.get", { address })).toMatchObject({
        ok: false,
        type: "invalid_id",
      });
    const { input } = operations.get("security.addresses.get") ?? {};
    expect(input?.safeParse({ address: "sample.example" }).success).toBe(false);
  });

  test("security: the fault of one registry's server opens no circuit breaker", () => {
    const verdict = rdapServer("https://rdap.example").judge({
      status: 503,
      headers: {},
      body: {},
    });
    expect(verdict).toMatchObject({ ok: false, type: "upstream_unavailable", unavailable: false });
  });
});

test("security surprise 10: a block that another registry has now is asked for there", async () => {
  const asked: string[] = [];
  const leading = (location: string) =>
    playOperation(
      operations.get("security.addresses.get") as Operation,
      { address: "192.0.2.1" },
      {
        outbound: {
          fetchFor: () => fetch,
          async send({ name, baseUrl }, { path }) {
            if (name === "iana-rdap") {
              const services = [[["192.0.0.0/8"], ["https://first.example/registry/"]]];
              return { status: 200, headers: {}, body: { services } };
            }
            asked.push(`${baseUrl.default}${path}`);
            return baseUrl.default === "https://second.example"
              ? {
                  status: 200,
                  headers: {},
                  body: { startAddress: "192.0.2.0", endAddress: "192.0.2.255" },
                }
              : { status: 302, headers: { location }, body: {} };
          },
        },
      },
    );
  const moved = await leading("https://second.example/rdap/ip/192.0.2.1");
  expect(moved).toMatchObject({ ok: true, data: { start_address: "192.0.2.0" } });
  expect(asked).toEqual([
    "https://first.example/registry//ip/192.0.2.1",
    "https://second.example/rdap/ip/192.0.2.1",
  ]);
  const plain = await leading("http://second.example/ip/192.0.2.1");
  expect(plain).toMatchObject({ ok: false, type: "not_found" });
  const circle = await leading("https://first.example/registry/ip/192.0.2.1");
  expect(circle).toMatchObject({ ok: false, type: "not_found" });
});
