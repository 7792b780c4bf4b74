import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Target of the namespace's resolv.conf, where only a decoy listens. */
export const nameServerDecoy = "10.1.2.53";

const ways = [
  ["unshare", "--net", "--mount"],
  ["unshare", "--user", "--map-root-user", "--net", "--mount"],
];

async function firstThatWorks(): Promise<string[] | undefined> {
  for (const way of ways) {
    const [command = "", ...words] = way;
    const works = await run(command, [...words, "true"]).then(
      () => true,
      () => false,
    );
    if (works) return way;
  }
  return undefined;
}

const way = await firstThatWorks();

/** False, with a loud message, only where this user gets no network namespace at all. */
export const namespacePossible = way !== undefined;
if (!way) {
  process.stderr.write(
    "\n!!! NOT TESTED: no network namespace can be made here, so private addresses (10/8, 192.168/16, ...) have no decoys\n\n",
  );
}

/**
 * Runs a script in a namespace where an interface beside loopback owns `addresses` and the name
 * server of resolv.conf; returns its printed JSON.
 */
export async function inNamespace<T>(script: URL, addresses: readonly string[]): Promise<T> {
  if (!way) throw new Error("no network namespace can be made here");
  const owned = [...addresses, nameServerDecoy].filter((address) => !isLoopback(address));
  const setup = [
    "set -e",
    "ip link set lo up",
    "ip link add inside type veth peer name outside",
    // The system's own addresses would arrive seconds later: a change of the network, for which
    // pages are loaded anew.
    "ip link set outside addrgenmode none",
    "ip link set inside addrgenmode none",
    "ip link set outside up",
    "ip link set inside up",
    ...owned.map((address) =>
      address.includes(":")
        ? `ip addr add ${address}/128 dev inside nodad`
        : `ip addr add ${address}/32 dev inside`,
    ),
    "ip route add default dev inside",
    "conf=$(mktemp)",
    `echo nameserver ${nameServerDecoy} > "$conf"`,
    'mount --bind "$conf" /etc/resolv.conf',
    'rm "$conf"',
    'exec "$@"',
  ].join("\n");
  const [command = "", ...words] = way;
  const { stdout } = await run(
    command,
    [
      ...words,
      "sh",
      "-c",
      setup,
      "sh",
      process.execPath,
      fileURLToPath(script),
      JSON.stringify(addresses),
    ],
    { timeout: 170_000 },
  );
  return JSON.parse(stdout) as T;
}

const isLoopback = (address: string) => address.startsWith("127.") || address === "::1";
