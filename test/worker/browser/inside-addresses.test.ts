import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const addresses = [
  "127.0.0.1",
  "10.1.2.3",
  "172.16.0.9",
  "192.168.1.7",
  "169.254.169.254",
  "100.64.0.1",
  "::1",
  "fd00::9",
];
const nameServers = readFileSync("/etc/resolv.conf", "utf8")
  .split("\n")
  .map((line) => /^nameserver\s+(\S+)/.exec(line)?.[1] ?? "")
  .filter((address) => isIP(address));

const unshare = [
  "unshare",
  ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"]),
  "--net",
];

const possible = await run(unshare[0] ?? "", [
  ...unshare.slice(1),
  "ip",
  "link",
  "set",
  "lo",
  "up",
]).then(
  () => true,
  () => false,
);
if (!possible) {
  process.stderr.write(
    "\n!!! NOT TESTED: no network namespace can be made here, so private addresses (10/8, 192.168/16, ...) have no decoys\n\n",
  );
}

test.runIf(possible)(
  "case 26: no address inside is dialled, and Chromium asks no name server",
  async () => {
    const owned = [...new Set([...addresses, ...nameServers])]
      .map(
        (address) =>
          `ip addr add ${address}/${address.includes(":") ? 128 : 32} dev lo 2>/dev/null || true`,
      )
      .join("; ");
    const script = fileURLToPath(new URL("inside-addresses.ts", import.meta.url));
    const { stdout } = await run(
      unshare[0] ?? "",
      [
        ...unshare.slice(1),
        "sh",
        "-c",
        `ip link set lo up; ${owned}; exec "$@"`,
        "sh",
        process.execPath,
        script,
        JSON.stringify(addresses),
        JSON.stringify([...new Set(nameServers)]),
      ],
      { timeout: 170_000 },
    );
    const { results, walledHits, packets } = JSON.parse(stdout) as {
      results: { host: string; answer: string; open: string }[];
      walledHits: number;
      packets: number;
    };
    expect(results.length).toBe(addresses.length + 5);
    for (const { host, answer, open } of results) {
      expect([host, answer]).toEqual([host, "validation_error"]);
      expect(open, `decoy on ${host} listens`).toContain("decoy-content");
    }
    expect(walledHits).toBe(0);
    expect(packets).toBe(0);
  },
  180_000,
);
