import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { web } from "../../../contract/areas/web/index.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../../worker/connector.ts";
import { webConnector } from "../../../worker/areas/web/handlers.ts";
import { Parsers } from "../../../worker/areas/web/parser.ts";
import { Documents } from "../../../worker/documents/documents.ts";
import { createSiteFetch } from "../../../worker/transport/site.ts";
import shown from "../../../contract/areas/web/answers.json" with { type: "json" };
import type { Operation } from "../../../contract/operation.ts";
import { at, pdf } from "../../worker/documents/files.ts";
import { startSite } from "../../worker/browser/rig.ts";
import type { Site } from "../../worker/browser/rig.ts";

/** Operations of the area that read files of a site without a browser. */
type Id = "web.fetch" | "web.robots" | "web.feed" | "web.map" | "web.text";

let site: Site;
let decoy: Site;
let connector: Connector<typeof web>;
let robotsTxt: { status: number; body: string };
const body: Record<string, { type?: string; encoding?: string; bytes: string | Buffer }> = {
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

async function run(
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
const failure = (id: Id, input: object) =>
  run(id, input).then(
    (data) => Promise.reject(new Error(`expected a failure, got ${JSON.stringify(data)}`)),
    (error: GatewayError) => error,
  );

describe("robots.txt", () => {
  const ask = (path: string, text: string, agent = "examplebot", status = 200) => {
    robotsTxt = { status, body: text };
    return run("web.robots", { url: `${site.origin}${path}`, agent });
  };
  const rules =
    "\uFEFF# all\r\nUser-agent: *\r\nDisallow: /a\r\nAllow: /a/open\r\nCrawl-delay: 1.5\r\nSitemap: http://site.test/s.xml\r\nSitemap: /relative\r\n\r\nUser-agent: OtherBot/2\r\nDisallow: /*.pdf$ # files";

  test.each([
    ["/a/b", "examplebot", false, "disallowed_by_rule", { line: 3, text: "Disallow: /a" }],
    ["/a/open", "ExampleBot/1.0", true, "allowed_by_rule", { line: 4, text: "Allow: /a/open" }],
    ["/b", "examplebot", true, "no_rule", undefined],
    [
      "/x.pdf",
      "otherbot",
      false,
      "disallowed_by_rule",
      { line: 10, text: "Disallow: /*.pdf$ # files" },
    ],
    ["/x.pdf?a", "otherbot", true, "no_rule", undefined],
    ["/robots.txt", "examplebot", true, "no_rule", undefined],
  ])("%s of %s", async (path, agent, is_allowed, reason, rule) => {
    const found = await ask(path, rules, agent);
    expect(found).toMatchObject({ agent, status: 200, is_allowed, reason });
    expect(found["rule"]).toEqual(rule);
    expect(found["robots_url"]).toBe("http://site.test/robots.txt");
    expect(found["sitemaps"]).toEqual(["http://site.test/s.xml"]);
    expect(found["crawl_delay_seconds"]).toBe(agent === "otherbot" ? undefined : 1.5);
  });

  test.each([
    [404, true, "no_file"],
    [403, true, "no_file"],
    [429, false, "unreachable"],
    [503, false, "unreachable"],
  ])("a status of %i", async (status, is_allowed, reason) => {
    const found = await ask("/a", "User-agent: *\nDisallow: /", "examplebot", status);
    expect(found).toMatchObject({ status, is_allowed, reason, sitemaps: [] });
  });

  test("a file made to multiply ends at the limit of its thread", async () => {
    const agents = Array.from({ length: 20_000 }, (_, at) => `User-agent: a${at}`).join("\n");
    const text = `${agents}\n${"Disallow: /b\n".repeat(18_000)}`;
    const task = {
      kind: "robots",
      url: "http://a.test/",
      robotsUrl: "http://a.test/robots.txt",
    } as const;
    const parsers = new Parsers({ mostMs: 1000 });
    const ask = (given: string) =>
      parsers.run({ ...task, agent: "a", text: given }, "a", AbortSignal.timeout(30_000));
    await expect(ask(text)).rejects.toThrow("takes too much time or memory to read");
    expect(await ask("User-agent: *\nDisallow: /")).toMatchObject({ isAllowed: false, line: 2 });
  });
});

describe("feeds", () => {
  const read = (path: string, more: object = {}) =>
    run("web.feed", { url: `${site.origin}${path}`, ...more });

  test("Atom, behind a redirect", async () => {
    expect(await read("/moved")).toEqual({
      url: "http://site.test/atom",
      format: "atom",
      title: "Blatt",
      description: "Tee",
      site_url: "http://site.test/",
      language: "de",
      image_url: "http://site.test/l.png",
      authors: ["Mai"],
      modified_at: "2026-05-01T08:00:00Z",
      items: [
        {
          id: "tag:a",
          url: "http://site.test/ernte",
          title: "<b>Ernte</b>",
          summary: "Kurz",
          content_html: "<p>Lang</p>",
          published_at: "2026-05-01T08:00:00+02:00",
          categories: ["tee"],
          media: [{ url: "http://site.test/a.mp3", type: "audio/mpeg", size_bytes: 9 }],
        },
      ],
    });
  });

  test("JSON Feed, packed and limited", async () => {
    const item = (id: string) => ({
      id,
      url: `http://site.test/${id}`,
      content_text: "text",
      published_at: "2026-05-01T08:00:00Z",
      categories: ["a"],
      media: [
        { url: "http://site.test/a.mp3", type: "audio/mpeg", size_bytes: 9, duration_seconds: 5 },
      ],
    });
    expect(await read("/json", { limit: 2 })).toEqual({
      url: "http://site.test/json",
      format: "json_feed",
      title: "Leaf",
      site_url: "http://site.test/home",
      authors: ["Ren"],
      items: [item("1"), item("2")],
    });
  });

  test("a feed in the encoding that it names", async () => {
    expect(await read("/latin")).toMatchObject({ format: "rss", title: "Thé", items: [] });
  });

  test.each([
    ["/page", "The URL answered with something that is no feed"],
    ["/none", "The site answered 404: there is no feed"],
    ["/bomb", "The site's answer is too large"],
    ["/loop", "The site redirected too many times"],
    ["/file", "The URL's destination is not allowed"],
    ["/cut", "The site's answer is not valid"],
  ])("%s is refused", async (path, message) => {
    expect((await failure("web.feed", { url: `${site.origin}${path}` })).message).toBe(message);
  });

  test.each(["/entities", "/deep"])("%s is read or refused in time and small", async (path) => {
    const found = await read(path).catch((error: GatewayError) => error);
    expect(JSON.stringify(found).length).toBeLessThan(100_000);
  });
});

describe("maps", () => {
  const urlset = (...entries: string[]) =>
    `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">${entries.map((entry) => `<url>${entry}</url>`).join("\n")}</urlset>`;
  const loc = (path: string) => `<loc>${site.origin}${path}</loc>`;

  beforeAll(() => {
    const { origin } = site;
    Object.assign(body, {
      "/index.xml": {
        bytes: `<s:sitemapindex xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9">
          <s:sitemap><s:loc>${origin}/one.xml.gz</s:loc></s:sitemap><s:sitemap><s:loc>/two.xml</s:loc></s:sitemap>
          <s:sitemap><s:loc>${origin}/index.xml</s:loc></s:sitemap><s:sitemap><s:loc>${origin}/none.xml</s:loc></s:sitemap>
          <s:sitemap><s:loc>${decoy.origin}/s.xml</s:loc></s:sitemap><s:sitemap><s:loc>file:///etc/passwd</s:loc></s:sitemap></s:sitemapindex>`,
      },
      "/one.xml.gz": {
        type: "application/gzip",
        bytes: gzipSync(
          urlset(
            `${loc("/a?x=1&amp;y=2")}<lastmod>2026-05-01T08:00:00+02:00</lastmod><image:image><image:loc>${origin}/i.jpg</image:loc></image:image>`,
            `<loc><![CDATA[ ${origin}/b#part ]]></loc><lastmod>May 2026</lastmod>`,
            "<loc>https://other.test/</loc>",
            "<loc>javascript:alert(1)</loc>",
          ),
        ),
      },
      "/two.xml": {
        bytes: `${urlset(loc("/a?x=1&amp;y=2"), loc("/c"))}`.replace("</urlset>", "<url></broken>"),
      },
      "/lines.txt": { type: "text/plain", bytes: `${origin}/d\n\nno address\n${origin}/B` },
      "/home": {
        type: "text/html",
        bytes: `<!doctype html><html><head><link rel="alternate" type="application/rss+xml" href="/rss?a=1&amp;b=2"><link rel=alternate hreflang=de href=/de></head>`,
      },
      "/linked": {
        type: "text/html; charset=utf-8",
        bytes: `<!doctype html><base href="/docs/"><p>One<br><a href="a#part">A</a><A HREF=/b?x=1&amp;y=2>B</a><area href="//other.test/x">
          <!-- <a href=/comment>c</a> --><script>document.write("<a href=/script>s</a>")</script><a href="mailto:a@site.test">m</a><a href="javascript:void 0">j</a>
          <a href=" a ">again</a><a name=x>none</a><a href="../c" rel=nofollow>C</a></div></body>`,
      },
      "/rss?a=1&b=2": {
        bytes: `<rss version="2.0"><channel><title>t</title><item><link>${origin}/e</link><pubDate>Fri, 01 May 2026 08:00:00 GMT</pubDate></item></channel></rss>`,
      },
      "/many.xml": {
        bytes: urlset(...Array.from({ length: 50_000 }, (_, index) => loc(`/p/${index}`))),
      },
      "/packed.xml": { type: "application/gzip", bytes: gzipSync(Buffer.alloc(60_000_000, 32)) },
    });
  });
  const map = (names: string[], input: object = {}) => {
    robotsTxt = {
      status: 200,
      body: names.map((name) => `Sitemap: ${site.origin}${name}`).join("\n"),
    };
    return run("web.map", { url: `${site.origin}/home`, ...input });
  };

  test("follow indexes, packed files, text, and the feeds of a page", async () => {
    const found = await map(["/index.xml", "/lines.txt"]);
    const local = (path: string) => `http://site.test${path}`;
    expect(found["addresses"]).toEqual([
      { url: local("/d") },
      { url: local("/B") },
      { url: local("/a?x=1&y=2"), modified_at: "2026-05-01T08:00:00+02:00" },
      { url: local("/b") },
      { url: local("/c") },
      { url: local("/e"), modified_at: "2026-05-01T08:00:00Z" },
    ]);
    const unread = (url: string, problem: string) => ({ url, kind: "unread", count: 0, problem });
    expect(found["sources"]).toEqual([
      { url: local("/index.xml"), kind: "index", count: 0 },
      { url: local("/lines.txt"), kind: "sitemap", count: 2 },
      { url: local("/home"), kind: "page", count: 0 },
      { url: local("/one.xml.gz"), kind: "sitemap", count: 4 },
      { url: local("/two.xml"), kind: "sitemap", count: 2 },
      unread(local("/none.xml"), "The site answered with status 404"),
      unread(`${decoy.origin}/s.xml`, "The URL's destination is not allowed"),
      { url: local("/rss?a=1&b=2"), kind: "feed", count: 1 },
    ]);
    expect(found["is_cut"]).toBeUndefined();
    expect(decoy.hits).toEqual([]);
  });

  test("have the links of the requested page, and of no other one", async () => {
    const found = await map(["/lines.txt"], { url: `${site.origin}/linked` });
    const local = (path: string) => ({ url: `http://site.test${path}` });
    expect(found["addresses"]).toEqual(
      ["/d", "/B", "/docs/a", "/b?x=1&y=2", "/c"].map((path) => local(path)),
    );
    expect(found["sources"]).toMatchObject([{ kind: "sitemap" }, { kind: "page", count: 7 }]);
    const other = await map(["/linked"]);
    expect(other["addresses"]).toEqual([
      { url: "http://site.test/e", modified_at: "2026-05-01T08:00:00Z" },
    ]);
  });

  test("are searched, and limited", async () => {
    const searched = await map(["/lines.txt"], { search: "/b" });
    expect(searched["addresses"]).toEqual([{ url: "http://site.test/B" }]);
    const limited = await map(["/many.xml", "/lines.txt"], { limit: 50_000 });
    expect(limited["addresses"]).toHaveLength(50_000);
    expect(limited["is_cut"]).toBe(true);
  });

  test("have nothing of a file that unpacks beyond its limit, nor of a site without any", async () => {
    expect((await map(["/packed.xml"]))["addresses"]).toEqual([
      { url: "http://site.test/e", modified_at: "2026-05-01T08:00:00Z" },
    ]);
    expect(await map([], { url: `${site.origin}/none` })).toMatchObject({
      addresses: [],
      sources: [{ kind: "unread" }, { kind: "unread" }],
    });
  });
});

test("no connection goes to an address that the SSRF filter refuses, first or by a redirect", async () => {
  for (const url of [
    `${decoy.origin}/`,
    `${site.origin}/away`,
    "http://[::1]:1/",
    "http://localhost:6379/",
  ]) {
    const error = await failure("web.feed", { url });
    expect(error).toMatchObject({
      type: "validation_error",
      message: "The URL's destination is not allowed",
    });
  }
  expect(decoy.hits).toEqual([]);
});

test.each(["web.fetch", "web.robots", "web.feed", "web.map", "web.text"] as const)(
  "%s answers its example in test mode",
  async (id) => {
    const { example } = web.operations.find((one) => one.id === id) as { example: object };
    expect(await run(id, example, { mode: "test" })).toEqual(shown[id].data);
  },
);

describe("a page by plain HTTP", () => {
  const page =
    "<html><head><title>T</title></head><body><p>Th\xE9 <a href='/next'>next</a></body></html>";
  beforeAll(() => {
    body["/plain"] = { type: "text/html; charset=iso-8859-1", bytes: Buffer.from(page, "latin1") };
  });

  test("its forms, decoded as its header states", async () => {
    const formats = ["markdown", "links", "metadata", "html"];
    expect(await run("web.fetch", { url: `${site.origin}/plain`, formats })).toMatchObject({
      url: "http://site.test/plain",
      markdown: "Thé [next](http://site.test/next)",
      links: ["http://site.test/next"],
      metadata: { title: "T", status: 200, content_type: "text/html" },
      html: page,
    });
  });

  test.each([
    ["/none", "not_found"],
    ["/atom", "upstream_error"],
    ["/bomb", "upstream_error"],
    ["/away", "validation_error"],
  ])("%s is %s", async (path, type) => {
    expect((await failure("web.fetch", { url: `${site.origin}${path}` })).type).toBe(type);
  });
});

describe("documents", () => {
  const page = at(72, 700, 11, "Leaves") + at(72, 660, 11, "of spring");
  beforeAll(() => {
    Object.assign(body, {
      "/report": { type: "application/octet-stream", bytes: pdf([page, ""]) },
      "/scan.pdf": { type: "application/pdf", bytes: pdf(["0 0 9 9 re f"]) },
      "/large.pdf": { type: "application/pdf", bytes: Buffer.alloc(52_428_801) },
    });
  });
  const read = (path: string, more: object = {}) =>
    run("web.text", { url: `${site.origin}${path}`, ...more });

  test("are read by their content, part by part", async () => {
    expect(await read("/report", { formats: ["text"], limit: 1 })).toEqual({
      url: "http://site.test/report",
      format: "pdf",
      unit: "page",
      size_bytes: pdf([page, ""]).length,
      parts_count: 2,
      parts: [{ number: 1, text: "Leaves\n\nof spring" }],
      is_cut: true,
    });
  });

  test("without text say so, and are no record", async () => {
    const found = await read("/scan.pdf");
    expect(found).toMatchObject({ parts: [{ number: 1, markdown: "" }], is_without_text: true });
    const { records } = web.operations.find(({ id }) => id === "web.text") as Operation;
    expect(records).toMatchObject({ kind: "one" });
    expect(records.kind === "one" && records.isNone?.(found)).toBe(true);
  });

  test.each([
    ["/page", "The URL answered with no document of a known format"],
    ["/none", "The site answered 404: there is no document"],
    ["/large.pdf", "The site's answer is too large"],
  ])("%s is refused", async (path, message) => {
    expect((await failure("web.text", { url: `${site.origin}${path}` })).message).toBe(message);
  });
});

test("the scenario empty has a document without text", async () => {
  const url = "https://example.com/";
  const found = await run("web.text", { url }, { mode: "test", scenario: "empty" });
  expect(found["is_without_text"]).toBe(true);
});

test("the scenario empty has a feed without items", async () => {
  const found = await run(
    "web.feed",
    { url: "https://example.com/" },
    { mode: "test", scenario: "empty" },
  );
  expect(found["items"]).toEqual([]);
});
