import { describe, expect, test } from "vitest";
import {
  EgressError,
  checkAddress,
  parseEgressAllow,
  resolveChecked,
} from "../../../runtime/egress/rules.ts";

const inside = [
  "127.0.0.1",
  "127.255.255.254",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "fc00::1",
  "fd00::1",
  "fe80::1",
  "ff02::1",
];

describe("checkAddress", () => {
  test.each(inside)("%s is not public", (address) => {
    expect(checkAddress(address, 443, { allow: [] })).toBe(false);
  });

  test.each(["93.184.215.14", "8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"])(
    "%s is public, on 80 and 443 only",
    (address) => {
      expect(checkAddress(address, 80, { allow: [] })).toBe(true);
      expect(checkAddress(address, 443, { allow: [] })).toBe(true);
      expect(checkAddress(address, 22, { allow: [] })).toBe(false);
      expect(checkAddress(address, 8443, { allow: [], ports: [8443] })).toBe(true);
    },
  );

  test("an allow entry names an address, with or without a port", () => {
    const allow = parseEgressAllow(["127.0.0.1:8080", "10.0.0.0/8", "[fd00::1]:81", "fd01::/16"]);
    expect(checkAddress("127.0.0.1", 8080, { allow })).toBe(true);
    expect(checkAddress("::ffff:127.0.0.1", 8080, { allow })).toBe(true);
    expect(checkAddress("127.0.0.1", 80, { allow })).toBe(false);
    expect(checkAddress("127.0.0.2", 8080, { allow })).toBe(false);
    expect(checkAddress("10.9.9.9", 80, { allow })).toBe(true);
    expect(checkAddress("10.9.9.9", 22, { allow })).toBe(false);
    expect(checkAddress("fd00::1", 81, { allow })).toBe(true);
    expect(checkAddress("fd00::2", 81, { allow })).toBe(false);
    expect(checkAddress("fd01::2", 80, { allow })).toBe(true);
  });

  test.each(["localhost", "127.0.0.1:x", "1.2.3", "[::1", ""])("%j is no allow entry", (entry) => {
    expect(() => parseEgressAllow([entry])).toThrow("EGRESS_ALLOW");
  });
});

describe("resolveChecked", () => {
  const names: Record<string, string[]> = {
    "public.test": ["93.184.215.14", "2606:4700::1111"],
    "mixed.test": ["93.184.215.14", "127.0.0.1"],
    "inside.test": ["10.0.0.1"],
    "empty.test": [],
  };
  const policy = {
    allow: [],
    resolve: async (name: string) =>
      (names[name] ?? []).map((address) => ({
        address,
        family: address.includes(":") ? (6 as const) : (4 as const),
      })),
  };
  const faultOf = (host: string) =>
    resolveChecked(host, 80, policy).then(
      () => "reached",
      (error: EgressError) => error.fault,
    );

  test("every address of a public name is returned", async () => {
    const addresses = await resolveChecked("public.test.", 443, policy);
    expect(addresses.map(({ address }) => address)).toEqual(names["public.test"]);
  });

  test.each([
    ...inside.slice(0, 5),
    "127.1",
    "2130706433",
    "0177.0.0.1",
    "0x7f000001",
    "[::1]",
    "::1",
    "[::ffff:7f00:1]",
    "１２７.0.0.1",
    "localhost",
    "LOCALHOST",
    "sub.localhost",
    "localhost.",
    "mixed.test",
    "inside.test",
    "a/b",
    "user@public.test",
    "",
  ])("%j is blocked", async (host) => {
    expect(await faultOf(host)).toBe("blocked");
  });

  test("a name without addresses does not exist", async () => {
    expect(await faultOf("empty.test")).toBe("no_such_host");
    expect(await faultOf("any.invalid")).toBe("no_such_host");
  });
});
