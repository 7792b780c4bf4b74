import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { checkAddress, parseEgressAllow, parseEgressDeny } from "../../../runtime/egress/rules.ts";

const passes = (address: string, rules: { allow?: string[]; deny?: string[] } = {}) =>
  checkAddress(address, 443, {
    allow: parseEgressAllow(rules.allow ?? []),
    deny: parseEgressDeny(rules.deny ?? []),
  });

// IANA special-purpose registries as last updated on 2025-10-09: two addresses of every entry.
const special: Record<string, [string, string]> = {
  "0.0.0.0/8 this network": ["0.0.0.0", "0.255.255.255"],
  "10.0.0.0/8 private use": ["10.0.0.0", "10.255.255.255"],
  "100.64.0.0/10 shared": ["100.64.0.0", "100.127.255.255"],
  "127.0.0.0/8 loopback": ["127.0.0.0", "127.255.255.255"],
  "169.254.0.0/16 link local": ["169.254.0.0", "169.254.255.255"],
  "172.16.0.0/12 private use": ["172.16.0.0", "172.31.255.255"],
  "192.0.0.0/24 protocol assignments": ["192.0.0.0", "192.0.0.255"],
  "192.0.0.9 and .10 PCP and TURN anycast": ["192.0.0.9", "192.0.0.10"],
  "192.0.2.0/24 documentation": ["192.0.2.0", "192.0.2.255"],
  "192.31.196.0/24 AS112": ["192.31.196.0", "192.31.196.255"],
  "192.52.193.0/24 AMT": ["192.52.193.0", "192.52.193.255"],
  "192.88.99.0/24 6to4 relays": ["192.88.99.0", "192.88.99.255"],
  "192.168.0.0/16 private use": ["192.168.0.0", "192.168.255.255"],
  "192.175.48.0/24 AS112": ["192.175.48.0", "192.175.48.255"],
  "198.18.0.0/15 benchmarking": ["198.18.0.0", "198.19.255.255"],
  "198.51.100.0/24 documentation": ["198.51.100.0", "198.51.100.255"],
  "203.0.113.0/24 documentation": ["203.0.113.0", "203.0.113.255"],
  "224.0.0.0/4 multicast": ["224.0.0.0", "239.255.255.255"],
  "240.0.0.0/4 reserved, broadcast": ["240.0.0.0", "255.255.255.255"],
  "::/128 and ::1/128": ["::", "::1"],
  "::ffff:0:0/96 mapped": ["::ffff:10.0.0.5", "::ffff:7f00:1"],
  "64:ff9b::/96 NAT64": ["64:ff9b::10.0.0.5", "64:ff9b::a83f:8110"],
  "64:ff9b:1::/48 local NAT64": ["64:ff9b:1::1", "64:ff9b:1:ffff:ffff:ffff:808:808"],
  "100::/64 discard": ["100::5", "100::ffff:ffff:ffff:ffff"],
  "100:0:0:1::/64 dummy": ["100:0:0:1::5", "100:0:0:1:ffff:ffff:ffff:ffff"],
  "2001::/23 protocol assignments": ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  "2001::/32 Teredo": ["2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:0:808:808::1"],
  "2001:1::1 to 3 anycast": ["2001:1::1", "2001:1::3"],
  "2001:2::/48 benchmarking": ["2001:2::1", "2001:2:0:ffff::1"],
  "2001:3::/32 AMT, 2001:4:112::/48 AS112": ["2001:3::1", "2001:4:112::1"],
  "2001:10::/28, 2001:20::/28 ORCHID": ["2001:10::1", "2001:20::1"],
  "2001:30::/28 DRIP": ["2001:30::1", "2001:3f:ffff::1"],
  "2001:db8::/32 documentation": ["2001:db8::1", "2001:db8:ffff:ffff::1"],
  "2002::/16 6to4": ["2002:a00:5::1", "2002:a83f:8110::1"],
  "2620:4f:8000::/48 AS112": ["2620:4f:8000::1", "2620:4f:8000:ffff::1"],
  "3fff::/20 documentation": ["3fff::1", "3fff:fff:ffff::1"],
  "5f00::/16 segment routing": ["5f00::1", "5f00:ffff::1"],
  "fc00::/7 unique local": ["fc00::1", "fdff:ffff::1"],
  "fe80::/10 link local": ["fe80::1", "febf:ffff::1"],
  "fec0::/10 site local": ["fec0::1", "feff:ffff::1"],
  "ff00::/8 multicast": ["ff02::1", "ff0e::1"],
};

/** Addresses that got through in an earlier attack test. */
const attacks = [
  "168.63.129.16",
  "::ffff:168.63.129.16",
  "::10.0.0.5",
  "::8.8.8.8",
  "::7f00:5",
  "::2",
  "200::5",
  "400::5",
  "4000::5",
  "100:0:0:1::5",
  "1fff:ffff::5",
  "8000::5",
];

/** Metadata addresses of clouds. */
const clouds: Record<string, string[]> = {
  "most clouds": ["169.254.169.254", "169.254.169.253", "169.254.169.123"],
  "AWS containers and IPv6": ["169.254.170.2", "169.254.170.23", "fd00:ec2::254", "fd00:ec2::23"],
  Azure: ["168.63.129.16"],
  Google: ["fd20:ce::254"],
  "Services of GKE clusters": ["34.118.224.0", "34.118.239.255", "2600:2d00:0:4::1"],
  "Google's APIs from inside": [
    "199.36.153.4",
    "199.36.153.11",
    "34.126.0.0",
    "34.126.63.255",
    "2600:2d00:2:1000::",
    "2600:2d00:2:10ff:ffff:ffff:ffff:ffff",
    "2600:2d00:2:2000::1",
    "2001:4860:8040::1",
  ],
  "Google Cloud's routers": ["2600:2d00:0:2::1", "2600:2d00:0:3:ffff:ffff:ffff:ffff"],
  "AWS VPC Lattice": ["169.254.171.5", "129.224.0.0", "129.224.127.255", "fd00:ec2:80::1"],
  Alibaba: ["100.100.100.200"],
  Tencent: ["169.254.0.23", "183.60.82.98", "183.60.83.19"],
  Oracle: ["192.0.0.192", "fd00:c1::a9fe:a9fe"],
  Scaleway: ["169.254.42.42", "fd00:42::42"],
  IBM: ["161.26.0.10", "166.8.0.1", "166.11.255.255"],
};

const open = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.215.14",
  "34.118.223.255",
  "34.118.240.0",
  "34.125.255.255",
  "34.126.64.0",
  "129.223.255.255",
  "129.224.128.0",
  "183.60.82.97",
  "199.36.153.3",
  "199.36.153.12",
  "2600:2d00:0:1::1",
  "2600:2d00:0:5::1",
  "2600:2d00:2:1100::1",
  "2001:4860:8080::1",
  "100.63.255.255",
  "100.128.0.0",
  "168.63.129.15",
  "168.63.129.17",
  "172.15.255.255",
  "172.32.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::1",
  "2001:4860:4860::8888",
  "2606:4700::1111",
  "2a00:1450:4001::1",
  "3ffe:ffff::1",
  "::ffff:8.8.8.8",
  "64:ff9b::8.8.8.8",
  "2002:808:808::1",
];

describe("case 39: addresses that are never dialled", () => {
  test.each(Object.entries(special))("%s", (_name, addresses) => {
    expect(addresses.filter((address) => passes(address))).toEqual([]);
  });

  test.each(attacks)("%s, which once passed", (address) => {
    expect(passes(address)).toBe(false);
  });

  test.each(Object.entries(clouds))("metadata and agents: %s", (_name, addresses) => {
    expect(addresses.filter((address) => passes(address))).toEqual([]);
  });

  test.each(open)("%s is public", (address) => {
    expect(passes(address)).toBe(true);
  });

  test("addresses of this machine, unless allowed", () => {
    const own = Object.values(networkInterfaces())
      .flatMap((found) => found ?? [])
      .map(({ address }) => address);
    expect(own.length).toBeGreaterThan(0);
    for (const address of own) {
      expect([address, passes(address)]).toEqual([address, false]);
      const allow = address.includes(":") ? [`[${address}]:443`] : [`${address}:443`];
      expect([address, passes(address, { allow })]).toEqual([address, true]);
    }
  });
});

describe("an operator's own", () => {
  test("EGRESS_DENY blocks public addresses, in every form", () => {
    const rules = { deny: ["8.8.8.0/24", "[2606:4700::]:443"] };
    for (const address of ["8.8.8.8", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"]) {
      expect([address, passes(address, rules)]).toEqual([address, false]);
    }
    expect(passes("2606:4700::", rules)).toBe(false);
    expect(passes("2606:4700::1", rules)).toBe(true);
    expect(passes("8.8.4.4", rules)).toBe(true);
  });

  test("EGRESS_DENY overrides EGRESS_ALLOW", () => {
    const rules = { allow: ["10.0.0.0/8"], deny: ["10.1.0.0/16"] };
    expect(passes("10.2.0.1", rules)).toBe(true);
    expect(passes("10.1.0.1", rules)).toBe(false);
  });

  test("an allowed address may be reached through NAT64 too", () => {
    expect(passes("64:ff9b::10.0.0.5", { allow: ["10.0.0.0/8"] })).toBe(true);
  });

  test.each([
    "localhost",
    "127.0.0.1:x",
    "1.2.3",
    "[::1",
    "",
    "1.2.3.4/33",
    "10.0.0.0/99",
    "fd00::/129",
    "127.0.0.1:65536",
  ])("%j is no deny entry", (entry) => {
    expect(() => parseEgressDeny([entry])).toThrow("EGRESS_DENY");
  });
});
