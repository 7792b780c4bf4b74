import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The floor of a status request: a process that answers every request with the same small body. */
const server = createServer((_request, response) => {
  response.setHeader("content-type", "application/json");
  response.end('{"data":{"state":"running"}}');
});
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
