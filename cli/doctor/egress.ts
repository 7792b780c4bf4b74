import { once } from "node:events";
import { createServer, connect } from "node:net";
import { networkInterfaces } from "node:os";
import type { AddressInfo, Server } from "node:net";
import { startEgressProxy } from "../../worker/egress/browser-proxy.ts";
import type { EgressProxy } from "../../worker/egress/browser-proxy.ts";
import { createResolver, parseEgressAllow, parseEgressDeny } from "../../runtime/egress/rules.ts";
import type { EgressPolicy, EgressRule, Resolve } from "../../runtime/egress/rules.ts";
import { fail, ok, warn } from "./check.ts";
import type { Check } from "./check.ts";

const answerMs = 5000;

/** Reserved names that this check resolves to internal addresses. */
const insideNames: Record<string, string> = {
  "inside.gateway.test": "127.0.0.1",
  "metadata.gateway.test": "169.254.169.254",
};

/** The listener's own address in several notations, and internal addresses of other machines. */
const targetsOf = (port: number): string[] => [
  ...["127.0.0.1", "localhost", "2130706433", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]"].map(
    (host) => `${host}:${port}`,
  ),
  `inside.gateway.test:${port}`,
  "169.254.169.254:80",
  "metadata.gateway.test:80",
  "10.0.0.1:80",
  "168.63.129.16:80",
  "[::10.0.0.1]:80",
  "[64:ff9b::10.0.0.1]:80",
  ...ownAddresses().map((address) => `${address}:80`),
];

/** Addresses of this machine's interfaces, without link-local ones, which are internal anyway and need a zone id. */
function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return found
    .filter(({ address, internal }) => !internal && !address.startsWith("fe80:"))
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
}

/** The two requests that a page can cause: a plain one and the opening of a tunnel. */
const requestsTo = (target: string): string[] => [
  `GET http://${target}/ HTTP/1.1\r\nHost: ${target}\r\nConnection: close\r\n\r\n`,
  `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`,
];

/** A listener on 127.0.0.1, and on ::1 where the machine has it, that counts connections. */
async function startListener() {
  const count = { arrived: 0 };
  const listen = async (host: string, port: number): Promise<Server> => {
    const server = createServer((socket) => {
      count.arrived += 1;
      socket.on("error", () => {});
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\ninside");
    });
    server.listen(port, host);
    await once(server, "listening");
    return server;
  };
  const main = await listen("127.0.0.1", 0);
  const { port } = main.address() as AddressInfo;
  // A machine without IPv6 has no such address.
  const second = await listen("::1", port).catch(() => undefined);
  return {
    port,
    count,
    close() {
      main.close();
      second?.close();
    },
  };
}

/** The first line that comes back; empty when the proxy just hangs up. */
async function send(proxy: EgressProxy, request: string): Promise<string> {
  const socket = connect(proxy.port, "127.0.0.1");
  let answer = "";
  socket.on("error", () => {});
  socket.setTimeout(answerMs, () => socket.destroy());
  socket.on("data", (part: Buffer) => {
    answer += part.toString("latin1");
    if (answer.includes("\r\n\r\n")) socket.destroy();
  });
  socket.write(request);
  await once(socket, "close");
  return answer.split("\r\n")[0] ?? "";
}

/** The target in the form that the proxy uses in its own records. */
function authorityOf(target: string): string {
  const { hostname, port } = new URL(`http://${target}`);
  return `${hostname}:${port || 80}`;
}

/** Targets that were not refused according to the answers, the listener or the proxy's own records. */
export async function passed(
  policy: EgressPolicy,
  targets: string[],
  count: { readonly arrived: number },
): Promise<string[]> {
  const proxy = await startEgressProxy(policy);
  proxy.open(() => {});
  const found = new Set<string>();
  try {
    for (const target of targets) {
      for (const request of requestsTo(target)) {
        const before = count.arrived;
        const answer = await send(proxy, request);
        const refused = proxy.faultOf(authorityOf(target)) === "blocked";
        if (!refused || count.arrived > before || / 200/.test(answer)) found.add(target);
      }
    }
    return [...found];
  } finally {
    proxy.close();
  }
}

const entriesOf = (text = ""): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);

/** The first address that a rule names. */
function targetOf({ range: [network], port = 80 }: EgressRule): string {
  const address = network.toString();
  return `${network.kind() === "ipv6" ? `[${address}]` : address}:${port}`;
}

export const workerFilter = "SSRF filter (workers)";

/** Checks the SSRF filter of the browser's proxy: requests to internal addresses must not arrive. */
export async function checkEgress(env: NodeJS.ProcessEnv): Promise<Check[]> {
  const listener = await startListener();
  try {
    const resolver = createResolver(env["RESOLVER"]);
    const resolve: Resolve = async (host) => {
      const address = insideNames[host];
      return address === undefined ? resolver(host) : [{ address, family: 4 }];
    };
    // With the listener's port allowed the address alone decides.
    const policy = { resolve, ports: [80, 443, listener.port] };
    const targets = targetsOf(listener.port);
    const control = `127.0.0.1:${listener.port}`;
    const opened = await passed(
      { ...policy, allow: parseEgressAllow([control]) },
      [control],
      listener.count,
    );
    if (opened.length === 0)
      return [
        fail(workerFilter, "The browser's proxy blocks even an address that it should allow."),
      ];
    const open = await passed({ ...policy, allow: [] }, targets, listener.count);
    if (open.length > 0)
      return [
        fail(
          workerFilter,
          `The browser's proxy does not refuse ${open.join(", ")}: stop the browser workers.`,
        ),
      ];
    const [allowed, denied] = [entriesOf(env["EGRESS_ALLOW"]), entriesOf(env["EGRESS_DENY"])];
    const allow = parseEgressAllow(allowed);
    const deny = parseEgressDeny(denied);
    const checks = [
      ok(workerFilter, `The SSRF filter refused all ${targets.length} internal addresses.`),
    ];
    if (allow.length > 0)
      checks.push(
        warn(
          "egress allowed",
          `EGRESS_ALLOW lets every caller reach ${allowed.join(", ")}: keep only what callers should reach.`,
        ),
      );
    const through = await passed({ ...policy, allow, deny }, deny.map(targetOf), listener.count);
    if (through.length > 0)
      return [fail("egress denied", `EGRESS_DENY does not keep pages from ${through.join(", ")}.`)];
    if (deny.length > 0)
      checks.push(
        ok(
          "egress denied",
          `EGRESS_DENY keeps every caller from ${denied.join(", ")}, whatever EGRESS_ALLOW names.`,
        ),
      );
    return checks;
  } finally {
    listener.close();
  }
}
