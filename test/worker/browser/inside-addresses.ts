import { datagramsSent, startUdpDecoy } from "./datagrams.ts";
import { startNameServer } from "./name-server.ts";
import { nameServerDecoy } from "./namespace.ts";
import { html, startRig, startSite, noSsrfFilter } from "./rig.ts";
import type { Site } from "./rig.ts";

// Runs in its own network namespace, with addresses that are inside elsewhere. Prints one line of
// JSON: per URL the filtered gateway's answer and whether a decoy was reached.

const addresses = JSON.parse(process.argv[2] ?? "[]") as string[];
const port = 8080;

const nameServer = await startUdpDecoy(nameServerDecoy, 53);
const names = await startNameServer({});
const decoys: Site[] = [];
for (const address of addresses) {
  decoys.push(await startSite((_, response) => html(response, "decoy-content"), address, port));
}
const hits = () => decoys.reduce((sum, decoy) => sum + decoy.hits.length, 0);
const literals = addresses.map((address) => (address.includes(":") ? `[${address}]` : address));
const hosts = [...literals, "0.0.0.0", "[::]", "localhost", "sub.localhost", "localhost."];

const input = (host: string) => ({ url: `http://${host}:${port}/`, timeout_ms: 5000 });
const answers = new Map<string, string>();
const sentBefore = datagramsSent();
const filtered = await startRig({ resolver: names.address, egressPorts: [port] });
for (const host of [...hosts, "unknown.example"]) {
  const answer = await filtered.run("browser.html", input(host)).then(
    () => "ok",
    (error: { type: string; message: string }) => `${error.type}: ${error.message}`,
  );
  answers.set(host, answer);
}
await filtered.close();
const filteredHits = hits();
const { packets } = nameServer;
// The gateway's look-ups are a question and an answer each; any further datagram comes from
// Chromium.
const datagrams = datagramsSent() - sentBefore - 2 * names.queries.length;

// Without the SSRF filter, each of them is reached.
const open = await startRig({ resolver: names.address, ...noSsrfFilter });
const results = [];
for (const host of hosts) {
  const data = await open.run("browser.html", input(host)).catch((error: Error) => ({
    html: error.message,
  }));
  results.push({ host, answer: answers.get(host), open: data.html });
}
await open.close();
process.stdout.write(`${JSON.stringify({ results, filteredHits, packets, datagrams })}\n`);
process.exit(0);
