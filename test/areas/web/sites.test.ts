import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import shown from "../../../contract/areas/web/answers.json" with { type: "json" };
import { web } from "../../../contract/areas/web/index.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import { Parsers } from "../../../worker/areas/web/parser.ts";
import { answerRobots, body, decoy, failure, run, site, useSites } from "./site-rig.ts";

/** Files of a site that programs read: robots.txt, feeds, sitemaps. */

useSites();

describe("robots.txt", () => {
  const ask = (path: string, text: string, agent = "examplebot", status = 200) => {
    answerRobots(status, text);
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
    expect(found["sitemaps"]).toEqual(["http://site.test/s.xml", "http://site.test/relative"]);
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
          title: "Ernte",
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
    ["/cut", "The site's answer broke off"],
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
    answerRobots(200, names.map((name) => `Sitemap: ${site.origin}${name}`).join("\n"));
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
      {
        url: local("/two.xml"),
        kind: "sitemap",
        count: 2,
        problem: "The file is not valid XML: the addresses before its fault count",
      },
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

test("the scenario empty has a feed without items", async () => {
  const found = await run(
    "web.feed",
    { url: "https://example.com/" },
    { mode: "test", scenario: "empty" },
  );
  expect(found["items"]).toEqual([]);
});
