import { createSocket } from "node:dgram";
import { html, startRig, startSite, wallOff } from "./rig.ts";
import type { Site } from "./rig.ts";

// Runs in a network namespace of its own, whose loopback owns addresses that are inside elsewhere.
// Prints one line of JSON: per URL what the walled gateway answered and whether a decoy was reached.

const addresses = JSON.parse(process.argv[2] ?? "[]") as string[];
const nameServers = JSON.parse(process.argv[3] ?? "[]") as string[];
const port = 8080;

let packets = 0;
for (const address of nameServers) {
  const socket = createSocket(address.includes(":") ? "udp6" : "udp4");
  socket.on("message", () => (packets += 1));
  await new Promise<void>((resolve) => socket.bind(53, address, resolve));
  socket.unref();
}
const decoys: Site[] = [];
for (const address of addresses) {
  decoys.push(await startSite((_, response) => html(response, "decoy-content"), address, port));
}
const hits = () => decoys.reduce((sum, decoy) => sum + decoy.hits.length, 0);
const literals = addresses.map((address) => (address.includes(":") ? `[${address}]` : address));
const hosts = [...literals, "0.0.0.0", "[::]", "localhost", "sub.localhost", "localhost."];

// A resolver that never answers: whatever reaches the name servers above came from Chromium.
const shared = { resolver: "127.0.0.1:9" };
const input = (host: string) => ({ url: `http://${host}:${port}/`, timeout_ms: 5000 });
const answers = new Map<string, string>();
const walled = await startRig({ ...shared, egressPorts: [port] });
for (const host of [...hosts, "unknown.example"]) {
  const answer = await walled.run("browser.html", input(host)).then(
    () => "ok",
    (error: { type: string }) => error.type,
  );
  answers.set(host, answer);
}
await walled.close();
const walledHits = hits();

// With the wall off, each of them is reached.
const open = await startRig({ ...shared, ...wallOff });
const results = [];
for (const host of hosts) {
  const data = await open.run("browser.html", input(host)).catch((error: Error) => ({
    html: error.message,
  }));
  results.push({ host, answer: answers.get(host), open: data.html });
}
await open.close();
await Promise.all(decoys.map((decoy) => decoy.close()));
process.stdout.write(`${JSON.stringify({ results, walledHits, packets })}\n`);
process.exit(0);
