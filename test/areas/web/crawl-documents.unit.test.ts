import { expect, test } from "vitest";
import type { CrawlRules } from "../../../runtime/crawl.ts";
import type { GatewayError } from "../../../contract/errors.ts";
import type { Call } from "../../../worker/connector.ts";
import { fetchPage } from "../../../worker/areas/web/fetch.ts";
import { plainParts } from "../../../worker/areas/web/plain.ts";
import { Documents } from "../../../worker/documents/documents.ts";
import type { SiteAnswer, SiteRequest } from "../../../worker/transport/site.ts";
import { at, pdf } from "../../worker/documents/files.ts";
import { crawlRules } from "./crawl-rules.ts";

const call = (more: Partial<CrawlRules> = {}) =>
  ({
    account: "a",
    mode: "live",
    signal: AbortSignal.timeout(60_000),
    crawl: { kind: 0, depth: 1, run: 0, rules: crawlRules("https://site.test/", more) },
  }) as unknown as Call;

const text =
  "The leaves of spring were picked on 1 July, before the rains, and dried for two days. ";
const report = pdf([at(72, 720, 12, text.repeat(2))], { info: "/Title (Report) /Author (Mai)" });
const parts = plainParts(new Documents()).of("live");
const input = {
  formats: ["markdown", "links", "metadata"] as const,
  selectors: [],
  include_source: false,
};

/** Reads an address of a site that answers everything like this; also returns the requests. */
async function read(url: string, answer: Partial<SiteAnswer>, more: object = {}, given = call()) {
  const asked: SiteRequest[] = [];
  const fetchSite = (request: SiteRequest) => {
    asked.push(request);
    const whole = { url: request.url, status: 200, contentType: "application/pdf", ...answer };
    const isRead = request.wants?.(whole) ?? true;
    return Promise.resolve({
      bytes: Buffer.from(report),
      ...whole,
      ...(isRead ? {} : { bytes: Buffer.alloc(0) }),
    });
  };
  const result = await fetchPage(
    { ...parts, fetchSite },
    { url, ...input, ...more } as never,
    given,
  ).catch((error: GatewayError) => error);
  return { result, asked };
}

test("a document is a page of the crawl, by its name or by its type", async () => {
  for (const [path, requests] of [
    ["report.pdf", 1],
    ["download?id=1", 2],
  ] as const) {
    const url = `https://site.test/${path}`;
    const { result, asked } = await read(url, {});
    expect(result).toMatchObject({
      data: {
        url,
        markdown: expect.stringContaining("picked on 1 July"),
        links: [],
        metadata: { title: "Report", author: "Mai", status: 200, content_type: "application/pdf" },
      },
      found: { links: [], keys: [`address ${url}`, expect.stringMatching(/^content /)] },
    });
    const follows = asked.map(async (request) => request.follows?.("https://site.test/b", false));
    expect(await Promise.all(follows)).toEqual(Array.from({ length: requests }, () => false));
  }
});

test("what is no document, none of the requested forms, or unchanged gives no page", async () => {
  const drop = async (...given: Parameters<typeof read>) => {
    const { result, asked } = await read(...given);
    return [(result as { found: { drop?: string } }).found.drop, asked.length];
  };
  const url = "https://site.test/a.pdf";
  expect(await drop(url, {}, { formats: ["links"] })).toEqual(["type", 0]);
  expect(await drop("https://site.test/a", {}, { formats: ["html"] })).toEqual(["type", 1]);
  expect(await drop(url, { bytes: Buffer.from("PK"), contentType: "application/zip" })).toEqual([
    "type",
    1,
  ]);
  const headers = { "last-modified": "Wed, 01 Jul 2020 10:00:00 GMT" };
  const since = call({ modifiedSince: "2026-01-01" });
  expect(await drop("https://site.test/a", { headers }, {}, since)).toEqual(["unchanged", 1]);
  const moved = await read(url, { status: 301, location: "/b.pdf" });
  expect(moved.result).toMatchObject({
    found: { drop: "scope", links: [["https://site.test/b.pdf", 0, 1, 1]] },
  });
});

test("a page at an address that ends like a document is a page; a broken or empty document fails", async () => {
  const bytes = Buffer.from("<title>Log in</title><p>Please");
  const page = await read("https://site.test/a.pdf", { bytes, contentType: "text/html" });
  expect(page.result).toMatchObject({ data: { markdown: "Please" } });
  const message = async (answer: Partial<SiteAnswer>) =>
    ((await read("https://site.test/a.pdf", answer)).result as GatewayError).message;
  expect(await message({ bytes: Buffer.from("%PDF-1.4") })).toBe("The document is broken");
  expect(await message({ bytes: Buffer.from(pdf([""])) })).toContain("has no text");
  expect(await message({ status: 404 })).toContain("404");
  expect(await message({ status: 503 })).toContain("status 503");
});
