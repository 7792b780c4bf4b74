import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Cookies } from "../../../worker/transport/cookies.ts";
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

test.each([undefined, false])(
  "a redirect back with a cookie: follows redirects %s",
  async (follows) => {
    const server = createServer((request, response) => {
      if (request.headers.cookie === "seen=1; b=x y") return void response.end("text");
      response.setHeader("set-cookie", ["seen=1; Path=/", "b=x y; HttpOnly"]);
      response.writeHead(302, { location: request.url }).end();
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      const { bytes, status } = await createSiteFetch({ egressAllow: [origin] })({
        url: `http://${origin}/a/b`,
        signal: AbortSignal.timeout(30_000),
        mostBytes: 1000,
        accept: "*/*",
        followsRedirects: follows,
      });
      expect([status, bytes.toString()]).toEqual([200, "text"]);
    } finally {
      server.close();
    }
  },
);

test.each([
  ["a=1", "https://www.a.test/x/z", "a=1"],
  ["a=1", "https://www.a.test:8443/x", "a=1"],
  ["a=1", "https://www.a.test/xy", undefined],
  ["a=1; Path=/", "https://www.a.test/", "a=1"],
  ["a=1", "https://a.test/x/y", undefined],
  ["a=1; Path=/; Domain=.a.test", "https://b.a.test/", "a=1"],
  ["a=1; Path=/; Domain=a.test", "https://ba.test/", undefined],
  ["a=1; Path=/; Domain=test", "https://b.test/", undefined],
  ["a=1; Path=/; Domain=b.test", "https://b.test/", undefined],
  ["a=1; Path=/; Secure", "http://www.a.test/", undefined],
  ["a=1; Path=/; Max-Age=0", "https://www.a.test/", undefined],
  ["a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "https://www.a.test/", undefined],
])("the cookie %s, asked for %s", (stated, url, header) => {
  const cookies = new Cookies();
  cookies.take(["a=0; Path=/x", stated], new URL("https://www.a.test/x/y"));
  if (header === undefined)
    cookies.take(["a=; Path=/x; Max-Age=-1"], new URL("https://www.a.test/x"));
  expect(cookies.headerFor(new URL(url))).toBe(header);
});

test("cookies of hosts under one public suffix are of two sites, and many end", () => {
  const cookies = new Cookies();
  cookies.take(["a=1; Domain=github.io"], new URL("https://one.github.io/"));
  expect(cookies.headerFor(new URL("https://two.github.io/"))).toBeUndefined();
  cookies.take(
    Array.from({ length: 9000 }, (_, at) => `c${at}=1`),
    new URL("https://a.test/"),
  );
  expect(cookies.headerFor(new URL("https://a.test/"))?.split("; ")).toHaveLength(50);
});

test("a server without TLS at an address of https is a fault of the site", async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const reading = createSiteFetch({ egressAllow: [origin] })({
    url: `https://${origin}/`,
    signal: AbortSignal.timeout(30_000),
    mostBytes: 1000,
    accept: "*/*",
  });
  await expect(reading).rejects.toThrow("TLS certificate or handshake is invalid");
  server.close();
});
