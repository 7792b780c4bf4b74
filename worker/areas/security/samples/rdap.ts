import type { Samples } from "../../../sandbox/sample.ts";

/** Sample answers of IANA's lists and of a registry's RDAP service, written for this project. */

const faults = {
  not_found: { status: 404, body: { errorCode: 404, title: "Not Found" } },
  upstream_error: { status: 400, body: { errorCode: 400, title: "Bad Request" } },
  upstream_unavailable: { status: 503, body: { errorCode: 503, title: "Unavailable" } },
} as const;

const list = (...keys: string[]) => ({
  version: "1.0",
  publication: "2026-01-05T10:00:00Z",
  services: [[keys, ["https://rdap.registry.example/"]]],
});

export const ianaRdap: Samples = {
  upstream: "iana-rdap",
  answers: {
    // Some endings; a name with another one is not found.
    "GET /rdap/dns.json": () => list("example", "com", "net", "org"),
    "GET /rdap/ipv4.json": () => list("0.0.0.0/0"),
    "GET /rdap/ipv6.json": () => list("::/0"),
  },
  faults,
};

const card = (fn: string, email?: string) => [
  "vcard",
  [
    ["version", {}, "text", "4.0"],
    ["fn", {}, "text", fn],
    ...(email === undefined ? [] : [["email", {}, "text", email]]),
  ],
];

const events = [
  { eventAction: "registration", eventDate: "2011-02-03T04:05:06Z" },
  { eventAction: "last changed", eventDate: "2025-06-07T08:09:10Z" },
  { eventAction: "expiration", eventDate: "2031-02-03T04:05:06Z" },
];

export const rdap: Samples = {
  upstream: "rdap",
  answers: {
    "GET /domain/{domain}": ({ parts, empty }) => ({
      objectClassName: "domain",
      handle: "D-4711-SAMPLE",
      ldhName: (parts.domain as string).toUpperCase(),
      status: empty ? [] : ["client transfer prohibited"],
      events,
      secureDNS: { delegationSigned: true },
      nameservers: empty
        ? []
        : [{ ldhName: "NS1.SAMPLE.EXAMPLE" }, { ldhName: "ns2.sample.example." }],
      entities: [
        {
          roles: ["registrar"],
          publicIds: [{ type: "IANA Registrar ID", identifier: "9999" }],
          vcardArray: card("Sample Registrar"),
          entities: [{ roles: ["abuse"], vcardArray: card("Abuse", "abuse@registrar.example") }],
        },
        { roles: ["registrant"], vcardArray: card("Sample Works") },
      ],
    }),
    "GET /ip/{address}": ({ empty }) => ({
      objectClassName: "ip network",
      handle: "NET-192-0-2-0-1",
      parentHandle: "NET-192-0-0-0-0",
      name: "SAMPLE-NET",
      startAddress: "192.0.2.0",
      endAddress: "192.0.2.255",
      ipVersion: "v4",
      type: "ASSIGNED PORTABLE",
      country: "NL",
      status: empty ? [] : ["active"],
      events: events.slice(0, 2),
      entities: [
        { roles: ["registrant"], vcardArray: card("Sample Works") },
        { roles: ["abuse"], vcardArray: card("Abuse", "abuse@sample.example") },
      ],
    }),
  },
  faults,
};
