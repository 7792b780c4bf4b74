import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A stand-in for an upstream on this machine: half a minute it answers, half a minute it fails. */

const turnMs = 30_000;
const empty = { total_count: 0, items_count: 0, items: [] };
const answer = JSON.stringify({
  status_code: 20_000,
  status_message: "Ok.",
  cost: 0.02,
  tasks: [{ status_code: 20_000, status_message: "Ok.", cost: 0.02, result: [empty] }],
});

export async function startTroubledUpstream(): Promise<{ url: string; stop(): void }> {
  const began = performance.now();
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      const fails = Math.floor((performance.now() - began) / turnMs) % 2 === 1;
      response.writeHead(fails ? 502 : 200, { "content-type": "application/json" });
      response.end(fails ? "{}" : answer);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}
