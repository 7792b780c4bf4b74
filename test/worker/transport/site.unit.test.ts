import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { Cookies } from "../../../worker/transport/cookies.ts";
import {
  createSiteFetch,
  type SiteAnswer,
  type SiteRequest,
} from "../../../worker/transport/site.ts";

/** Reads `/a/b` of a server. */
async function read(
  listener: RequestListener,
  { scheme = "http", ...more }: Partial<SiteRequest> & { scheme?: string } = {},
): Promise<SiteAnswer> {
  const server = createServer(listener);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    return await createSiteFetch({ egressAllow: [origin] })({
      url: `${scheme}://${origin}/a/b`,
      signal: AbortSignal.timeout(30_000),
      mostBytes: 1000,
      accept: "*/*",
      ...more,
    });
  } finally {
    server.close();
  }
}

test.each([
  ["utf8", "/h/%C3%BCn%C3%AF"],
  ["latin1", "/h/%C3%BCn%C3%AF"],
  ["ascii", "/h/plain"],
] as const)("a redirect whose address has raw octets of %s", async (encoding, path) => {
  const location = encoding === "ascii" ? "/h/plain" : Buffer.from("/h/ünï", encoding);
  const { url } = await read((request, response) => {
    if (request.url !== "/a/b") return void response.end();
    // Node sends each character of a header as one byte.
    response.writeHead(302, { location: location.toString("latin1") }).end();
  });
  expect(new URL(url).pathname).toBe(path);
});

test.each([undefined, true, false])(
  "a redirect back with a cookie: followed %s",
  async (isFollowed) => {
    const answer = await read(
      (request, response) => {
        if (request.headers.cookie === "seen=1; b=x y") return void response.end("text");
        response.setHeader("set-cookie", ["seen=1; Path=/", "b=x y; HttpOnly"]);
        response.writeHead(302, { location: request.url }).end();
      },
      {
        follows:
          isFollowed === undefined
            ? undefined
            : (_, cookies) => Promise.resolve(cookies && isFollowed),
      },
    );
    const expected = isFollowed === false ? [302, ""] : [200, "text"];
    expect([answer.status, answer.bytes.toString()]).toEqual(expected);
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
  const reading = read(() => {}, { scheme: "https" });
  await expect(reading).rejects.toThrow("TLS certificate or handshake is invalid");
});

test.each([
  [undefined, "\n <!DOCTYPE html><p>a", "text/html"],
  [undefined, "<!-- a --><p>a", "text/html"],
  ["html", "<P>a", "text/html"],
  ["*/*", "<body >a", "text/html"],
  [undefined, "<bodyguard>", "text/plain"],
  [undefined, '<?xml version="1.0"?><html/>', "text/xml"],
  [undefined, "%PDF-1.7", "application/pdf"],
  [undefined, "text", "text/plain"],
  [undefined, "PK\u0003\u0004", ""],
  ["Text/Plain; charset=x", "<html>", "text/plain"],
])("an answer of type %s that begins with %j has the type %s", async (type, body, found) => {
  const wants = ({ contentType }: { contentType: string }) => contentType !== "text/plain";
  const answer = await read(
    (_request, response) => {
      if (type !== undefined) response.setHeader("content-type", type);
      response.end(body);
    },
    { wants },
  );
  expect(answer.contentType).toBe(found);
  expect(answer.bytes.toString()).toBe(found === "text/plain" ? "" : body);
});

test("an untyped answer that nobody wants is read no further than its type needs", async () => {
  const wants = () => false;
  const { contentType, bytes } = await read(
    (_request, response) => void response.end(Buffer.alloc(200_000)),
    { wants, mostBytes: 100_000 },
  );
  expect([contentType, bytes.length]).toEqual(["", 0]);
});

test("a site that forbids sniffing has no page without its type", async () => {
  const answer = await read((_request, response) => {
    response.setHeader("x-content-type-options", "nosniff").end("<html>");
  });
  expect(answer.contentType).toBe("text/plain");
});

const content = "<p>text</p>";
test.each([
  ["lines that end without CR", `HTTP/1.1 200 OK\nContent-Type: text/html\n\n${content}`],
  ["a folded header", `HTTP/1.0 200 OK\r\nContent-Type: text/html;\r\n a=b\r\n\r\n${content}`],
  [
    "a length beside chunks",
    `HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n${content}\r\n0\r\n\r\n`,
  ],
])("an answer with %s is read", async (_name, answer) => {
  const { contentType, bytes } = await read((request) => request.socket.end(answer));
  expect([contentType, bytes.toString()]).toEqual(["text/html", content]);
});

test("an answer that ends before its length, or redirects to nothing", async () => {
  const cut = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ntext";
  await expect(read((request) => request.socket.end(cut))).rejects.toMatchObject({
    type: "upstream_unavailable",
    message: "The site's answer broke off",
  });
  const { status, location } = await read((_request, response) => {
    response.writeHead(302, { location: "" }).end();
  });
  expect([status, location]).toEqual([302, undefined]);
});
