import { datagramsSent, startUdpDecoy } from "./datagrams.ts";
import { startNameServer } from "./name-server.ts";
import type { Zone } from "./name-server.ts";
import { nameServerDecoy } from "./namespace.ts";
import { html, pause, settled, startRig, startSite, noSsrfFilter } from "./rig.ts";
import type { Site } from "./rig.ts";
import { vectorPage } from "./vectors.ts";

// Runs in its own network namespace with decoys on private addresses. Prints the destinations that
// pages reached with and without the SSRF filter.

export interface Look {
  /** Requested paths of each decoy, and "connection". */
  reached: Record<string, string[]>;
  /** Packets at each decoy's STUN port. */
  stun: Record<string, number>;
  /** Packets at the machine's name server. */
  dns: number;
  /** Datagrams sent by anything but the gateway's own resolver. */
  datagrams: number;
  answers: string[];
  /** Content of the page whose name changes its address, or the error's type. */
  rebound: Record<string, string>;
  reboundHits: string[];
  lookups: Record<string, number>;
}

const addresses = JSON.parse(process.argv[2] ?? "[]") as string[];
const [first = ""] = addresses;
const port = 8080;
const stunPort = 3478;
const literal = (address: string) => (address.includes(":") ? `[${address}]` : address);
const originOf = (address: string) => `http://${literal(address)}:${port}`;

const site = await startSite(
  (request, response) => {
    const [path = "", decoy = ""] = (request.url ?? "").split("?");
    // A fresh connection, and so a fresh look-up, for every request.
    response.setHeader("connection", "close");
    if (path === "/vectors") {
      response.setHeader("link", `<${decoy}/link-header>; rel=preload; as=image`);
      response.setHeader(
        "content-security-policy-report-only",
        `img-src 'none'; report-uri ${decoy}/csp-report`,
      );
      const stun = [`${new URL(decoy).hostname}:${stunPort}`, `stun.decoy.test:${stunPort}`];
      html(response, vectorPage(decoy, decoy.replace("http", "ws"), stun));
    } else if (path === "/rebind") {
      html(
        response,
        `public site<p id=o></p><script>(async()=>{for(let i=0;i<6;i++)try{o.append(await(await fetch('/again?'+i)).text())}catch{}await fetch('/release').catch(()=>0)})()</script><img src=/slow-image>`,
      );
    } else if (path === "/slow-image") setTimeout(() => response.end(), 1500);
    else html(response, "public site");
  },
  "127.0.0.1",
  port,
);

const decoys = new Map<string, Site>();
for (const address of addresses) {
  decoys.set(
    address,
    await startSite((_, response) => html(response, "decoy-content"), address, port),
  );
}
const inside = (from: number) => (lookup: number) => [lookup < from ? "127.0.0.1" : first];
const zone: Zone = {
  "first.test": inside(2),
  "second.test": inside(3),
  "third.test": inside(4),
  "mixed.test": () => ["127.0.0.1", first],
  "alias.test": () => ({ alias: "inside.test", to: [first] }),
};

/** Starts from scratch: name servers count from the first look-up again. */
async function inspect(config: Parameters<typeof startRig>[0]): Promise<Look> {
  const names = await startNameServer(zone);
  const nameServer = await startUdpDecoy(nameServerDecoy, 53);
  const stun = new Map<string, Awaited<ReturnType<typeof startUdpDecoy>>>();
  for (const address of addresses) stun.set(address, await startUdpDecoy(address, stunPort));
  for (const decoy of decoys.values()) decoy.hits.length = 0;
  const sentBefore = datagramsSent();
  const rig = await startRig({ ...config, withholdNothing: true, resolver: names.address });

  const render = (url: string) =>
    rig.run("browser.html", { url, wait_until: "networkidle0", timeout_ms: 15_000 }).then(
      (data) => data.html,
      (error: { type: string }) => error.type,
    );
  const answers = await Promise.all(
    addresses.map((address) => render(`${site.origin}/vectors?${originOf(address)}`)),
  );
  await settled(rig);
  await pause(500);
  const reached = Object.fromEntries(
    [...decoys].map(([address, { hits }]) => [
      address,
      hits.splice(0).map((path) => path.replace(/^\//, "")),
    ]),
  );
  const datagrams = datagramsSent() - sentBefore - 2 * names.queries.length;

  const looks = await Promise.all(
    Object.keys(zone).map(async (name) => {
      const content = await render(`http://${name}:${port}/rebind`);
      const asked = names.queries.filter((entry) => entry === `1:${name}`);
      return { name, content, lookups: asked.length };
    }),
  );
  const rebound = Object.fromEntries(looks.map(({ name, content }) => [name, content]));
  const lookups = Object.fromEntries(looks.map((look) => [look.name, look.lookups]));
  await rig.close();
  const packets = Object.fromEntries([...stun].map(([address, decoy]) => [address, decoy.packets]));
  const { packets: dns } = nameServer;
  await Promise.all([
    nameServer.close(),
    names.close(),
    ...[...stun.values()].map((s) => s.close()),
  ]);
  const reboundHits = [...decoys.values()].flatMap(({ hits }) => hits);
  return { reached, stun: packets, dns, datagrams, answers, rebound, reboundHits, lookups };
}

const filtered = await inspect({ egressAllow: [`127.0.0.1:${port}`], egressPorts: [port] });
const open = await inspect({
  ...noSsrfFilter,
  // Each build obeys one of the two names.
  args: [
    "--webrtc-ip-handling-policy=default",
    "--force-webrtc-ip-handling-policy=default",
    "--host-resolver-rules=",
  ],
});
process.stdout.write(`${JSON.stringify({ filtered, open })}\n`);
process.exit(0);
