import { expect, test } from "vitest";
import { inNamespace, namespacePossible } from "./namespace.ts";

const addresses = [
  "127.0.0.1",
  "10.1.2.3",
  "172.16.0.9",
  "192.168.1.7",
  "169.254.169.254",
  "100.64.0.1",
  "::1",
  "fd00::9",
  // A cloud's host agent, and forms outside 2000::/3.
  "168.63.129.16",
  "::10.0.0.5",
  "400::5",
  "4000::5",
  // Public addresses, but of this machine.
  "93.184.215.77",
  "2606:4700::77",
];

test.runIf(namespacePossible)(
  "case 26: no address inside is dialled, and Chromium queries no name server",
  async () => {
    const { results, filteredHits, packets, datagrams } = await inNamespace<{
      results: { host: string; answer: string; open: string }[];
      filteredHits: number;
      packets: number;
      datagrams: number;
    }>(new URL("inside-addresses.ts", import.meta.url), addresses);
    expect(results.length).toBe(addresses.length + 5);
    for (const { host, answer, open } of results) {
      expect([host, answer]).toEqual([
        host,
        "validation_error: The URL's destination is not allowed",
      ]);
      expect(open, `decoy on ${host} listens`).toContain("decoy-content");
    }
    expect(filteredHits).toBe(0);
    expect(packets).toBe(0);
    expect(datagrams).toBe(0);
  },
);
