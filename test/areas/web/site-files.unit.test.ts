import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { KeptFiles, type KeptFile } from "../../../worker/areas/web/crawl/kept-files.ts";
import { PageThreads } from "../../../worker/areas/web/crawl/page-threads.ts";
import { readFile } from "../../../worker/areas/web/crawl/site-files.ts";
import { SiteRules } from "../../../worker/areas/web/crawl/site-rules.ts";
import { map } from "../../../worker/areas/web/map.ts";
import { Parsers } from "../../../worker/areas/web/parser.ts";
import { FileTooLarge, readSiteFile } from "../../../worker/areas/web/site-file.ts";
import { Parts, entriesIn } from "../../../worker/areas/web/site-parts.ts";
import type { Call } from "../../../worker/connector.ts";
import type { FetchSite } from "../../../worker/transport/site.ts";
import { crawlRules } from "./crawl-rules.ts";

const origin = "http://site.test";
const urlset = (count: number, after = "") => {
  const urls = Array.from({ length: count }, (_, at) => `<url><loc>${origin}/${at}</loc></url>`);
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}${after}</urlset>`;
};
const noise = randomBytes(300_000).toString("base64");
/** Cut off in the noise. */
const cut = (count: number) => gzipSync(urlset(count, noise)).subarray(0, 200_000);
const declared = '<?xml version="1.0" encoding="iso-8859-1"?>';
const most = { entries: 1000, characters: 100_000, allCharacters: 1_000_000 };
const wanted = { at: `${origin}/s.xml`, host: "site.test", most: 10 };
const read = (bytes: Buffer, parts: Parts, encoding?: string, contentType = "application/xml") => {
  const file = { bytes, encoding, contentType };
  return readSiteFile(file, parts.taking(wanted), { withLinks: false, most: 10 });
};

test.each([
  ["a file that is packed itself", undefined],
  ["a packed answer", "gzip"],
])("%s is unpacked no further than its addresses are wanted", async (_name, encoding) => {
  const parts = new Parts(most);
  await read(cut(11), parts, encoding);
  expect(parts).toMatchObject({ isCut: true, count: 10 });
  expect(parts.all().flatMap((part) => entriesIn(part))).toHaveLength(10);
  await expect(read(cut(5), new Parts(most), encoding)).rejects.toThrow();
});

test.each([
  ["UTF-8 with a mark", "\uFEFF", "utf8", undefined],
  ["UTF-16", "\uFEFF", "utf16le", undefined],
  ["the encoding that it names", declared, "latin1", undefined],
  ["the encoding of its Content-Type", "", "latin1", "Text/XML; charset=iso-8859-1"],
  [
    "the encoding that it names, not one without meaning",
    declared,
    "latin1",
    "a/xml; charset=binary",
  ],
] as const)("a sitemap in %s", async (_name, start, encoding, type) => {
  const parts = new Parts(most);
  const content = `${start}${urlset(1, `<url><loc>${origin}/é</loc></url>`)}`;
  await read(Buffer.from(content, encoding), parts, undefined, type);
  const found = parts.all().flatMap((part) => entriesIn(part).map(([address]) => address));
  expect(found).toEqual([`${origin}/0`, `${origin}/%C3%A9`]);
});

test("a file that unpacks to more than 50 MB counts for nothing", async () => {
  const bytes = gzipSync(Buffer.concat([Buffer.from(`${origin}/1\n`), Buffer.alloc(53_000_000)]));
  const file = { bytes, contentType: "text/plain" };
  const reading = readSiteFile(file, () => true, { withLinks: false, most: 10 });
  await expect(reading).rejects.toThrow(FileTooLarge);
});

test("addresses come in parts of so many entries and characters", () => {
  const parts = new Parts({ entries: 3, characters: 100, allCharacters: 250 });
  const long = `${origin}/${"x".repeat(90)}`;
  for (const address of ["/1", "/2", "/3", "/4", long, long]) parts.take([address, undefined]);
  expect(parts.isCut).toBe(false);
  expect(parts.take(["/7", undefined])).toBe(false);
  expect(parts).toMatchObject({ isCut: true, count: 6 });
  const all = parts.all();
  expect(all.map(({ from }) => from)).toEqual([0, 3, 4, 5]);
  expect(all.flatMap((part) => entriesIn(part))).toHaveLength(6);
});

test("a map's search counts only addresses that it wants", async () => {
  const parts = new Parts(most);
  const search = { ...wanted, search: "/199", most: 2 };
  const file = { bytes: Buffer.from(urlset(1999)), contentType: "application/xml" };
  await readSiteFile(file, parts.taking(search), { withLinks: false, most: 2 });
  expect(parts.all().flatMap((part) => entriesIn(part))).toEqual([
    [`${origin}/199`, undefined],
    [`${origin}/1990`, undefined],
  ]);
  expect(parts.isCut).toBe(true);
});

test.each([
  ["ä", "/%C3%A4%20"],
  ["%c3%a4", "/%C3%A4%20"],
  ["b c", "/b%20c"],
  ["%e4", "/%E4"],
])("a map's search for %s finds %s", (search, path) => {
  const parts = new Parts(most);
  const take = parts.taking({ ...wanted, search });
  for (const one of [path, "/other"]) take([origin + one, undefined]);
  expect(parts.all().flatMap((part) => entriesIn(part))).toEqual([[origin + path, undefined]]);
});

test.each([
  ["/a?b=1&c=2", ""],
  ["/a?b&c", ""],
  ["/a?b=1&", ""],
  ["/a?b=1&c=2", " ".repeat(65_536 - 120)],
])("a raw & of %s stays, and the file is read on", async (path, before) => {
  const loc = `<url><loc>${origin}${path}</loc></url>`;
  const parts = new Parts(most);
  expect(await read(Buffer.from(urlset(1, before + loc + loc)), parts)).toEqual({
    kind: "sitemap",
    files: [],
  });
  expect(parts.all().flatMap((part) => entriesIn(part))).toEqual(
    ["/0", path, path].map((one) => [origin + one, undefined]),
  );
});

test.each([
  ["cut", urlset(3).slice(0, -30)],
  ["broken", urlset(2, "<url></broken>")],
])("a %s sitemap keeps what was read, and says so", async (fault, text) => {
  const parts = new Parts(most);
  expect(await read(Buffer.from(text), parts)).toMatchObject({ kind: "sitemap", fault });
  expect(parts.count).toBe(2);
});

test.each([
  ["a comment", `<!-- <html> ${"x".repeat(100_000)} -->`],
  ["blank lines", "\n".repeat(100_000)],
])("a sitemap may begin with %s of any length", async (_name, start) => {
  const parts = new Parts(most);
  expect(await read(Buffer.from(start + urlset(2)), parts)).toMatchObject({ kind: "sitemap" });
  expect(parts.count).toBe(2);
});

test.each(["<!--", "<!-- -->", "<!-- x", " "])(
  "a file of nothing but %s ends soon",
  async (part) => {
    const bytes = Buffer.from(part.repeat(500_000));
    const started = performance.now();
    expect(await read(bytes, new Parts(most))).toEqual({ kind: "other", files: [] });
    expect(performance.now() - started).toBeLessThan(2000);
  },
);

test.each([
  ["application/x-gzip", "sitemap"],
  ["application/octet-stream", "sitemap"],
  ["", "sitemap"],
  ["text/css", "other"],
])("a packed list of addresses of the type %j is %s", async (type, kind) => {
  const bytes = gzipSync(`${origin}/1\n${origin}/2\n`);
  expect(await read(bytes, new Parts(most), undefined, type)).toMatchObject({ kind });
  expect(await read(gzipSync(noise), new Parts(most), undefined, type)).toMatchObject({
    kind: "other",
  });
});

test("nested elements and endless addresses end the file", async () => {
  for (const text of [`${"<a>".repeat(1000)}`, `<url><loc>${"x".repeat(100_000)}</loc></url>`]) {
    const parts = new Parts(most);
    expect(await read(Buffer.from(urlset(1, text)), parts)).toMatchObject({ kind: "sitemap" });
    expect(parts.count).toBe(1);
  }
});

test("a map has addresses of 10 MB together, and says that it is cut", async () => {
  const long = "x".repeat(5000);
  const bytes = gzipSync(urlset(3000).replaceAll("</loc>", `${long}</loc>`));
  const fetchSite: FetchSite = ({ url }) => {
    const status = url.endsWith("/sitemap.xml") ? 200 : 404;
    return Promise.resolve({ url, status, contentType: "application/xml", bytes });
  };
  const input = { url: `${origin}/`, limit: 50_000, include_subdomains: true };
  const call = { account: "1", mode: "live", signal: AbortSignal.timeout(120_000) } as Call;
  const { data } = await map(fetchSite, new Parsers(), input, call);
  expect(data.is_cut).toBe(true);
  expect(data.addresses.length).toBeGreaterThan(2000);
  expect(data.addresses.length).toBeLessThan(2200);
});

test("a map says which sitemap it could not read to its end", async () => {
  const fetchSite: FetchSite = ({ url }) => {
    const status = url.endsWith("/sitemap.xml") ? 200 : 404;
    const bytes = Buffer.from(urlset(3).slice(0, -30));
    return Promise.resolve({ url, status, contentType: "application/xml", bytes });
  };
  const input = { url: `${origin}/`, limit: 10, include_subdomains: true };
  const call = { account: "1", mode: "live", signal: AbortSignal.timeout(120_000) } as Call;
  const { data } = await map(fetchSite, new Parsers(), input, call);
  expect(data.addresses).toHaveLength(2);
  const problem = "The file ends too early: the addresses before its end count";
  expect(data.sources[0]).toMatchObject({ kind: "sitemap", count: 2, problem });
});

test("a map says which files are no sitemap, feed or page", async () => {
  const fetchSite: FetchSite = ({ url }) => {
    const bytes = Buffer.from(url.endsWith("/robots.txt") ? "" : "<other/>");
    return Promise.resolve({ url, status: 200, contentType: "application/xml", bytes });
  };
  const input = { url: `${origin}/`, limit: 10, include_subdomains: true };
  const call = { account: "1", mode: "live", signal: AbortSignal.timeout(120_000) } as Call;
  const problem = "The file is no sitemap, feed or page";
  expect((await map(fetchSite, new Parsers(), input, call)).data.sources).toEqual(
    ["/sitemap.xml", "/"].map((path) => ({
      url: origin + path,
      kind: "unread",
      count: 0,
      problem,
    })),
  );
});

test("a crawl fetches a sitemap once for all of its parts, and the next crawl fetches it again", async () => {
  let fetched = 0;
  const fetchSite: FetchSite = ({ url }) => {
    const isRobots = url.endsWith("/robots.txt");
    if (!isRobots) fetched += 1;
    const bytes = isRobots ? Buffer.alloc(0) : gzipSync(urlset(5000));
    return Promise.resolve({ url, status: 200, contentType: "application/gzip", bytes });
  };
  const parts = {
    fetchSite,
    parsers: new Parsers(),
    threads: new PageThreads(),
    siteRules: new SiteRules(),
    keptFiles: new KeptFiles(),
  };
  const rules = crawlRules(`${origin}/`, { source: "sitemap" });
  const call = { account: "1", mode: "live", signal: AbortSignal.timeout(120_000) } as Call;
  const take = async (url: string) => {
    const { links } = await readFile(parts, url, { kind: 1, depth: 1, run: 0, rules }, call);
    return {
      next: links.find(([, kind]) => kind === 1)?.[0],
      pages: links.filter(([, kind]) => kind === 0).length,
    };
  };
  const first = await take(`${origin}/s.xml`);
  expect(first).toEqual({ next: `${origin}/s.xml#2000`, pages: 2000 });
  expect(await take(`${origin}/s.xml#2000`)).toEqual({
    next: `${origin}/s.xml#4000`,
    pages: 2000,
  });
  expect(await take(`${origin}/s.xml#4000`)).toEqual({ next: undefined, pages: 1000 });
  expect(fetched).toBe(1);
  await take(`${origin}/s.xml`);
  expect(fetched).toBe(2);
});

test("kept sitemaps are bounded by characters and time, and belong to an account", () => {
  let now = 0;
  const kept = new KeptFiles(() => now);
  const file = (characters: number, parts = 2): KeptFile => ({
    kind: "sitemap",
    files: [],
    count: 1,
    isCut: false,
    at: "",
    parts: Array.from({ length: parts }, () => ({ from: 0, text: "x".repeat(characters / parts) })),
  });
  kept.keep("1", "/small", file(100, 1));
  expect(kept.of("1", "/small")).toBeUndefined();
  for (let at = 0; at < 4; at += 1) kept.keep("1", `/${at}`, file(20 * 2 ** 20));
  expect([0, 1, 2, 3].filter((at) => kept.of("1", `/${at}`))).toEqual([2, 3]);
  expect(kept.of("2", "/3")).toBeUndefined();
  kept.keep("1", "/large", file(51 * 2 ** 20));
  expect(kept.of("1", "/large")).toBeUndefined();
  now = 11 * 60_000;
  expect(kept.of("1", "/3")).toBeUndefined();
});
