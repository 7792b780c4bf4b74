import { gzipSync } from "node:zlib";
import { afterAll, beforeAll } from "vitest";
import { web } from "../../../contract/areas/web/index.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../../worker/connector.ts";
import { webConnector } from "../../../worker/areas/web/handlers.ts";
import { Documents } from "../../../worker/documents/documents.ts";
import { createSiteFetch } from "../../../worker/transport/site.ts";
import { startSite } from "../../worker/browser/rig.ts";
import type { Site } from "../../worker/browser/rig.ts";

/** A site, another one that no call may reach, and the operations that read them. */

/** Operations of the area that read files of a site without a browser. */
export type Id = "web.fetch" | "web.robots" | "web.feed" | "web.map" | "web.text";

export let site: Site;
export let decoy: Site;
let connector: Connector<typeof web>;
let robotsTxt: { status: number; body: string };
/** Sets the answer to `/robots.txt`. */
export const answerRobots = (status: number, text: string): void => {
  robotsTxt = { status, body: text };
};
/** Files of the site by path. */
export const body: Record<string, { type?: string; encoding?: string; bytes: string | Buffer }> = {
  "/atom": {
    type: "application/atom+xml",
    bytes: `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="text">Blatt</title><subtitle>Tee</subtitle>
      <link href="/"/><link rel="self" href="/atom"/><updated>2026-05-01T08:00:00Z</updated><author><name>Mai</name></author><logo>/l.png</logo>
      <entry><id>tag:a</id><title type="html">&lt;b&gt;Ernte&lt;/b&gt;</title><link href="/ernte"/><link rel="enclosure" href="/a.mp3" type="audio/mpeg" length="9"/>
      <published>2026-05-01T08:00:00+02:00</published><updated>gestern</updated><summary>Kurz</summary><content type="html">&lt;p&gt;Lang&lt;/p&gt;</content><category term="tee"/></entry></feed>`,
  },
  "/json": {
    encoding: "gzip",
    bytes: gzipSync(
      JSON.stringify({
        version: "https://jsonfeed.org/version/1.1",
        title: "Leaf",
        home_page_url: "/home",
        authors: [{ name: "Ren" }],
        items: [1, 2, 3].map((id) => ({
          id: String(id),
          url: `/${id}`,
          content_text: "text",
          date_published: "2026-05-01T08:00:00Z",
          tags: ["a"],
          attachments: [
            { url: "/a.mp3", mime_type: "audio/mpeg", size_in_bytes: 9, duration_in_seconds: 5 },
          ],
        })),
      }),
    ),
  },
  "/latin": {
    bytes: Buffer.from(
      `<?xml version="1.0" encoding="iso-8859-1"?><rss version="2.0"><channel><title>Th\xE9</title></channel></rss>`,
      "latin1",
    ),
  },
  "/page": { type: "text/html", bytes: "<html><body>text</body></html>" },
  "/bomb": { encoding: "gzip", bytes: gzipSync(Buffer.alloc(20_000_000)) },
  "/entities": {
    bytes: `<!DOCTYPE rss [<!ENTITY a "${"x".repeat(1000)}">${Array.from({ length: 9 }, (_, at) => `<!ENTITY ${"bcdefghij"[at]} "${`&${"abcdefghi"[at]};`.repeat(10)}">`).join("")}]><rss version="2.0"><channel><title>&j;</title></channel></rss>`,
  },
  "/deep": { bytes: `<rss version="2.0"><channel>${"<a>".repeat(200_000)}` },
};

/** Starts the sites for the tests of a file. */
export function useSites(): void {
  beforeAll(async () => {
    decoy = await startSite((_request, response) => response.end("inside"));
    site = await startSite((request, response) => {
      const path = request.url ?? "";
      if (path === "/robots.txt") {
        response.writeHead(robotsTxt.status, { "content-type": "text/plain" }).end(robotsTxt.body);
      } else if (path === "/away") {
        response.writeHead(302, { location: `${decoy.origin}/secret` }).end();
      } else if (path === "/moved") {
        response.writeHead(301, { location: "/atom" }).end();
      } else if (path === "/loop") {
        response.writeHead(302, { location: "/loop" }).end();
      } else if (path === "/file") {
        response.writeHead(302, { location: "file:///etc/passwd" }).end();
      } else if (path === "/cut") {
        response.writeHead(200, { "content-length": "100" });
        response.write("<rss>");
        setTimeout(() => response.destroy(), 20);
      } else {
        const found = body[path];
        if (!found) response.writeHead(404).end();
        else {
          if (found.encoding) response.setHeader("content-encoding", found.encoding);
          response.writeHead(200, { "content-type": found.type ?? "application/xml" });
          response.end(found.bytes);
        }
      }
    });
    connector = webConnector(
      undefined as never,
      createSiteFetch({ egressAllow: [`127.0.0.1:${site.port}`] }),
      new Documents(),
    );
  });
  afterAll(async () => {
    await site.close();
    await decoy.close();
  });
}

/** An answer to an operation; addresses of the site begin with `http://site.test`. */
export async function run(
  id: Id,
  input: object,
  call: Partial<Call> = {},
): Promise<Record<string, unknown>> {
  const operation = web.operations.find((one) => one.id === id);
  const given = {
    account: "a",
    mode: "live",
    signal: AbortSignal.timeout(60_000),
    ...call,
  } as Call;
  const { data } = await connector[id](operation?.input.parse(input) as never, given);
  operation?.data.parse(data);
  return JSON.parse(JSON.stringify(data).replaceAll(site.origin, "http://site.test")) as never;
}
export const failure = (id: Id, input: object) =>
  run(id, input).then(
    (data) => Promise.reject(new Error(`expected a failure, got ${JSON.stringify(data)}`)),
    (error: GatewayError) => error,
  );
