import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { checkEgress, passed } from "../../../cli/doctor/egress.ts";
import { parseEgressAllow } from "../../../runtime/egress/rules.ts";

test("the SSRF filter in place refuses every probe", async () => {
  const checks = await checkEgress({});
  expect(checks).toMatchObject([{ name: "SSRF filter (workers)", verdict: "ok" }]);
});

test("a rule that is no address fails the check", async () => {
  await expect(checkEgress({ EGRESS_ALLOW: "everything" })).rejects.toThrow("EGRESS_ALLOW");
});

test("an address that the operator denies is probed and reported", async () => {
  const checks = await checkEgress({
    EGRESS_ALLOW: "10.0.0.0/8",
    EGRESS_DENY: "10.1.0.0/16, [2606:4700::]:80",
  });
  expect(checks.map(({ name, verdict }) => [name, verdict])).toEqual([
    ["SSRF filter (workers)", "ok"],
    ["egress allowed", "warn"],
    ["egress denied", "ok"],
  ]);
  expect(checks[2]?.message).toContain("10.1.0.0/16");
  await expect(checkEgress({ EGRESS_DENY: "everything" })).rejects.toThrow("EGRESS_DENY");
});

test("a hole in the SSRF filter is found, whatever the address's form", async () => {
  const count = { arrived: 0 };
  const server = createServer((_request, response) => response.end("inside"));
  server.on("connection", () => (count.arrived += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const policy = {
    allow: parseEgressAllow([`127.0.0.0/8`]),
    ports: [80, port],
    resolve: async () => [{ address: "127.0.0.1", family: 4 as const }],
  };
  const targets = [`127.0.0.1:${port}`, `localhost:${port}`, `2130706433:${port}`];
  try {
    const found = await passed(policy, [...targets, `named.test:${port}`, "10.0.0.1:80"], count);
    expect(found).toEqual([...targets, `named.test:${port}`]);
    expect(count.arrived).toBeGreaterThan(0);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
