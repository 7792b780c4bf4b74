import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createSiteFetch } from "../../../worker/transport/site.ts";

test.each([
  ["utf8", "/h/%C3%BCn%C3%AF"],
  ["latin1", "/h/%C3%BCn%C3%AF"],
  ["ascii", "/h/plain"],
] as const)("a redirect whose address has raw octets of %s", async (encoding, path) => {
  const location = encoding === "ascii" ? "/h/plain" : Buffer.from("/h/ünï", encoding);
  const server = createServer((request, response) => {
    if (request.url !== "/") return void response.end();
    // Node sends each character of a header as one byte.
    response.writeHead(302, { location: location.toString("latin1") }).end();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { url } = await createSiteFetch({ egressAllow: [origin] })({
      url: `http://${origin}/`,
      signal: AbortSignal.timeout(30_000),
      mostBytes: 1000,
      accept: "*/*",
    });
    expect(url).toBe(`http://${origin}${path}`);
  } finally {
    server.close();
  }
});
