import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { describe, expect, test } from "vitest";
import type { CrawlRules } from "../../../runtime/crawl.ts";
import {
  formOf,
  isDocumentName,
  isFile,
  isTrap,
  mostRun,
  normalise,
} from "../../../worker/areas/web/crawl/address.ts";
import { PageThreads } from "../../../worker/areas/web/crawl/page-threads.ts";
import { compile } from "../../../worker/areas/web/crawl/patterns.ts";
import { Scope } from "../../../worker/areas/web/crawl/scope.ts";
import { SiteRules } from "../../../worker/areas/web/crawl/site-rules.ts";
import { longWorkSteps } from "../../../worker/thread-priority.ts";
import { crawlRules } from "./crawl-rules.ts";

const rules = (more: Partial<CrawlRules> = {}): CrawlRules =>
  crawlRules("https://www.example.com/", { obeysRobots: true, ...more });
const step = { kind: 0 as const, depth: 1, run: 0 };

describe("addresses", () => {
  test.each([
    ["HTTPS://Example.COM:443/a/../b#part", "https://example.com/b"],
    ["https://example.com", "https://example.com/"],
    ["https://example.com./a?", "https://example.com/a"],
    ["https://example.com/a?utm_source=x&b=1&fbclid=2&a=3", "https://example.com/a?b=1&a=3"],
    ["https://example.com/a?gclid=1", "https://example.com/a"],
    ["https://example.com/a;jsessionid=0A1B?b=1", "https://example.com/a?b=1"],
    ["https://example.com/%7ename/%e4?x=%c3%a4%2f", "https://example.com/~name/%E4?x=%C3%A4%2F"],
    ["/ä b?q=ü", "https://example.com/%C3%A4%20b?q=%C3%BC"],
    ["?page=2", "https://example.com/dir/?page=2"],
    ["  ../up  ", "https://example.com/up"],
  ])("%s is %s", (text, address) => {
    expect(normalise(text, "https://example.com/dir/")).toBe(address);
    // One form only: normalising again changes nothing.
    expect(normalise(address)).toBe(address);
  });

  test.each([
    "mailto:a@example.com",
    "javascript:void(0)",
    "ftp://example.com/",
    "https://a:b@example.com/",
    "https://",
    `https://example.com/${"a".repeat(9000)}`,
  ])("%s is none of the web", (text) =>
    expect(normalise(text, "https://example.com/")).toBeUndefined(),
  );

  test("a repeated part, a long path and too many parameters are traps", () => {
    const at = (path: string) => isTrap(`https://example.com${path}`);
    expect(at("/a/b/a/b/a/b")).toBe(true);
    expect(at("/x/a/a/a")).toBe(true);
    expect(at("/a/b/a/b/a/c")).toBe(false);
    expect(at("/2026/01/01/01-news")).toBe(false);
    expect(at(`/${"x/".repeat(2)}y`)).toBe(false);
    expect(at(`/${Array.from({ length: 21 }, (_, index) => `s${index}`).join("/")}`)).toBe(true);
    expect(at(`/?${Array.from({ length: 21 }, (_, index) => `p${index}=1`).join("&")}`)).toBe(true);
    expect(at(`/${"a".repeat(2001)}`)).toBe(true);
  });

  test("numbers and values do not change the form of an address", () => {
    expect(formOf("https://example.com/2026/7?a=1&b=2")).toBe(
      formOf("https://example.com/1999/12?a=x&b=y"),
    );
    expect(formOf("https://example.com/a")).not.toBe(formOf("https://example.com/b"));
    expect(formOf("https://example.com/a?x=1")).not.toBe(formOf("https://example.com/a"));
  });

  test("files are known by their name", () => {
    expect(isFile("https://example.com/a.ZIP?x")).toBe(true);
    expect(isFile("https://example.com/a.doc")).toBe(true);
    expect(isFile("https://example.com/a.docx")).toBe(false);
    expect(isDocumentName("https://example.com/a.PDF?x")).toBe(true);
    expect(isDocumentName("https://example.com/a.doc")).toBe(false);
    expect(isFile("https://example.com/a.html")).toBe(false);
    expect(isFile("https://example.com/pdf")).toBe(false);
  });
});

describe("patterns", () => {
  test.each([
    ["/blog/**", "/blog/a/b?c=d", true],
    ["/blog/**", "/blog", false],
    ["/blog/*", "/blog/a/b", false],
    ["/blog/*/print", "/blog/a/print", true],
    ["/blog/*/print", "/blog/a/b/print", false],
    ["**/print", "/blog/a/b/print", true],
    ["/a", "/a/", false],
    ["/**?*sort=*", "/list?page=2&sort=price", true],
    ["/**?*sort=*", "/sort", false],
    ["https://shop.example.com/**", "/a", false],
    ["https://example.com/*", "/a", true],
    ["/a.b", "/axb", false],
    ["/cr/ü", "/cr/%C3%BC", true],
    ["/cr/%c3%bc", "/cr/%C3%BC", true],
    ["/cr/%7Ejoe/*", "/cr/~joe/a", true],
    ["/😀 **", "/%F0%9F%98%80%20/a", true],
    ["/a%2Ab", "/axb", false],
    ["/a%2fb", "/a/b", false],
    ["/it's?q='*", "/it's?q='a", true],
    ["https://example.com/?q='*", "/?q=%27a", true],
  ])("%s, %s: %s", (pattern, path, matches) => {
    expect(compile([pattern])(`https://example.com${path}`)).toBe(matches);
  });

  test("a hundred patterns of wildcards against a long address take no long time", () => {
    const { user: before } = process.threadCpuUsage();
    const patterns = Array.from({ length: 100 }, (_, index) => `/${"**a".repeat(60)}${index}b`);
    expect(compile(patterns)(`https://example.com/${"a".repeat(1900)}`)).toBe(false);
    expect((process.threadCpuUsage().user - before) / 1000).toBeLessThan(500);
  });
});

describe("scope", () => {
  const page = "https://www.example.com/list/1";
  const links = (more: Partial<CrawlRules>, found: string[], from = step) =>
    new Scope(rules(more)).linksFrom(page, found, from).map(([url]) => url);

  test("the same host with and without www., or every host of the domain", () => {
    const found = [
      "/a",
      "https://example.com/b",
      "https://shop.example.com/c",
      "https://example.org/d",
      "http://example.com/e",
      "https://example.com:8443/f",
    ];
    expect(links({}, found)).toEqual([
      "https://www.example.com/a",
      "https://example.com/b",
      "http://example.com/e",
    ]);
    expect(links({ scope: "subdomains" }, found)).toEqual([
      "https://www.example.com/a",
      "https://example.com/b",
      "https://shop.example.com/c",
      "http://example.com/e",
      "https://example.com:8443/f",
    ]);
  });

  test("includes, excludes, files and traps", () => {
    const found = [
      "/blog/a",
      "/blog/a#b",
      "/blog/a.zip",
      "/shop/a",
      "/blog/x/x/x/x",
      "/blog/print",
    ];
    expect(links({ include: ["/blog/**"], exclude: ["**/print"] }, found)).toEqual([
      "https://www.example.com/blog/a",
    ]);
  });

  test("no links beyond the depth, nor where only sitemaps count", () => {
    expect(links({ maxDepth: 1 }, ["/a"])).toEqual([]);
    expect(links({ source: "sitemap" }, ["/a"])).toEqual([]);
  });

  test("the addresses of one page have a million characters at most", () => {
    const found = Array.from({ length: 5000 }, (_, index) => `/${"a".repeat(1800)}${index}`);
    const characters = (urls: string[]) => urls.reduce((sum, url) => sum + url.length, 0);
    expect(characters(links({}, found))).toBeLessThanOrEqual(1_000_000);
    const entries = found.map((url): [string, undefined] => [url, undefined]);
    const ofSitemap = new Scope(rules()).pagesOf(entries, page, () => false);
    expect(ofSitemap.length).toBeGreaterThan(500);
    expect(characters(ofSitemap.map(([url]) => url))).toBeLessThanOrEqual(1_000_000);
  });

  test("a row of links of one form ends", () => {
    const scope = new Scope(rules({ maxDepth: 1000 }));
    const next = (run: number) => scope.linksFrom(page, ["/list/2", "/other"], { ...step, run });
    expect(next(0)).toEqual([
      ["https://www.example.com/list/2", 0, 2, 1],
      ["https://www.example.com/other", 0, 2, 0],
    ]);
    expect(next(mostRun).map(([url]) => url)).toEqual(["https://www.example.com/other"]);
  });
});

describe("robots.txt", () => {
  const sites =
    (status: number, body = "") =>
    () =>
      Promise.resolve({ url: "", status, contentType: "text/plain", bytes: Buffer.from(body) });
  const { signal } = new AbortController();

  test("no file allows all, a failing one nothing, and the next page asks again", async () => {
    const siteRules = new SiteRules();
    const address = "https://example.com/a";
    await expect(siteRules.of(address, sites(503), signal)).rejects.toThrow("nothing of the site");
    await expect(siteRules.of(address, sites(429), signal)).rejects.toThrow("status 429");
    expect(await siteRules.of(address, sites(200, "User-agent: *"), signal)).toBe("User-agent: *");
    expect(await siteRules.of(address, sites(503), signal), "kept").toBe("User-agent: *");
    expect(await siteRules.of("https://example.org/", sites(404), signal)).toBe("");
  });

  test("a page that ends early does not close the site for the next one", async () => {
    const siteRules = new SiteRules();
    const first = new AbortController();
    const hangs = ({ signal: ends }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) =>
        ends.addEventListener("abort", () => reject(ends.reason as Error)),
      );
    const one = siteRules.of("https://example.com/a", hangs, first.signal);
    const other = siteRules.of("https://example.com/b", sites(200, "User-agent: *"), signal);
    first.abort(new Error("ended"));
    await expect(one).rejects.toThrow("ended");
    expect(await other).toBe("User-agent: *");
  });

  test("the longest files of many sites are not all kept", async () => {
    const siteRules = new SiteRules();
    let fetched = 0;
    const answer = (length: number) => () => {
      fetched += 1;
      return sites(200, "a".repeat(length))();
    };
    const fetchedAgain = async (count: number, length: number) => {
      const of = (index: number) =>
        siteRules.of(`https://${length}-${index}.example/`, answer(length), signal);
      for (let index = 0; index < count; index += 1) await of(index);
      fetched = 0;
      await of(0);
      return fetched;
    };
    expect(await fetchedAgain(400, 100), "short ones").toBe(0);
    expect(await fetchedAgain(20, 512_000), "long ones").toBe(1);
  });

  test("closed links, delay, sitemaps, nofollow and duplicates, as a thread reads them", async () => {
    const threads = new PageThreads();
    const robots =
      "User-agent: *\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 2\nSitemap: https://www.example.com/s.xml";
    const agent = "public-data-gateway";
    const url = "https://www.example.com/";
    expect(
      await threads.run({ kind: "allowed", url: `${url}private/a`, robots, agent }, "a", signal),
    ).toEqual({ isAllowed: false, delay: 2, sitemaps: ["https://www.example.com/s.xml"] });
    const read = async (html: string, more: Partial<CrawlRules> = {}) =>
      (
        await threads.run(
          {
            kind: "page",
            bytes: Buffer.from(html),
            contentType: "text/html",
            url,
            status: 200,
            robotsTag: "",
            formats: ["markdown", "links", "metadata"],
            extract: { selectors: [], include_source: false },
            mainContentOnly: false,
            crawl: { ...step, rules: rules(more), robots, agent },
          },
          "a",
          signal,
        )
      ).found;
    const body = `<a href=/a>a</a><a href=/private/b>b</a><a href=/private/open>c</a><a rel="ugc nofollow" href=/d>d</a><p>${"text ".repeat(40)}`;
    const found = await read(`<link rel=canonical href=/other>${body}`);
    expect(found?.links.map(([link]) => link)).toEqual([
      "https://www.example.com/a",
      "https://www.example.com/private/open",
      "https://www.example.com/other",
    ]);
    expect(found?.keys).toEqual([
      "address https://www.example.com/other",
      expect.stringMatching(/^content /),
    ]);
    expect((await read(body, { skipsDuplicates: false }))?.keys).toEqual([`address ${url}`]);
    expect(
      (await read(`<link rel=canonical href=https://elsewhere.example/>${body}`))?.keys[0],
    ).toBe(`address ${url}`);
    expect((await read(`<meta name=robots content="noindex, NOFOLLOW">${body}`))?.links).toEqual(
      [],
    );
  });

  test.skipIf(process.platform !== "linux")("threads of crawls run behind pages", async () => {
    const niceOfThreads = () =>
      readdirSync("/proc/self/task").map((thread) => getPriority(Number(thread)));
    const behind = Math.min(19, getPriority() + longWorkSteps);
    const before = niceOfThreads().filter((nice) => nice === behind).length;
    const task = { kind: "allowed", url: "https://a.example/b", robots: "", agent: "a" } as const;
    await new PageThreads().run(task, "a", signal);
    expect(niceOfThreads().filter((nice) => nice === behind)).toHaveLength(before + 1);
  });
});
