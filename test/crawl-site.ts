import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { at, pdf } from "./worker/documents/files.ts";

/** A made-up site to crawl, with traps, and what a crawl must make of it. */
export interface CrawlSite {
  url: string;
  /** host:port, for EGRESS_ALLOW. */
  address: string;
  /** Visits by path and query. */
  visits: ReadonlyMap<string, number>;
  /** Visits in their order, with their times in milliseconds. */
  times: readonly { path: string; at: number }[];
  /** The pages to deliver, by the path of their first form. */
  pages: ReadonlySet<string>;
  /** Addresses whose failure is reported. */
  faults: ReadonlySet<string>;
  /** The most requests that ran at once. */
  mostAtOnce(): number;
  stop(): Promise<void>;
}

const perSection = 100;
const calendarLinks = 100;

const report = Buffer.from(pdf([at(72, 720, 12, "Report on the harvest of tea.")]));

/** The page that an address shows in another form. */
export const firstForm = (path: string) =>
  path.replace(/^\/(?:print|copy)\//, "/article/").replace(/\?.*$/, "");

const paragraph = (index: number) =>
  `<p>Paragraph ${index} of the report on tea gardens: rain of ${index} mm, harvest of ${index * 3} kg, and a price of ${index % 17} a kilogram at the auction.</p>`;

const page = (title: string, body: string, head = "") =>
  `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><body><nav><a href="/">Home</a> <a href="/about">About</a></nav><main><h1>${title}</h1>${body}</main></body></html>`;

/** `articles` pages, a fifth of them in sitemaps only; `calendar` links to follow in the endless one. */
export async function startCrawlSite({
  articles,
  calendar = calendarLinks,
  delaySeconds,
}: {
  articles: number;
  calendar?: number;
  /** `Crawl-delay` of its robots.txt. */
  delaySeconds?: number;
}): Promise<CrawlSite> {
  const linked = Math.floor(articles * 0.8);
  const sections = Math.ceil(linked / perSection);
  const visits = new Map<string, number>();
  const times: { path: string; at: number }[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;

  const article = (index: number, head = "") => {
    const links = [
      index + 1 < linked ? `<a href="/article/${index + 1}?utm_source=next">Next</a>` : "",
      index % 7 === 0 ? `<a href="/print/${index}">Print</a>` : "",
      index % 11 === 0 ? `<a href="/old/${index}">Former address</a>` : "",
      index % 13 === 0 ? `<a href="/missing/${index}">Missing</a>` : "",
      index % 19 === 0 ? `<a href="/copy/${index}">Copy</a>` : "",
    ];
    const length = index % 97 === 0 ? 3000 : 3 + (index % 5);
    const body = Array.from({ length }, (_, at) => paragraph(index * 10 + at)).join("\n");
    return page(`Article ${index}`, `${links.join(" ")}${body}`, head);
  };

  const sitemaps = Math.max(1, Math.ceil((articles - linked) / 1000));
  const sitemap = (number: number) => {
    const first = linked + number * 1000;
    const count = Math.min(1000, articles - first);
    const rows = Array.from(
      { length: count },
      (_, at) => `<url><loc>${url}/article/${first + at}</loc></url>`,
    );
    return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${rows.join("")}</urlset>`;
  };

  const files: Record<string, () => { type: string; body: string | Buffer }> = {
    "/robots.txt": () => ({
      type: "text/plain",
      body: `User-agent: *\nDisallow: /private/\nAllow: /private/open\n${delaySeconds === undefined ? "" : `Crawl-delay: ${delaySeconds}\n`}\nSitemap: ${url}/sitemap-index.xml\n`,
    }),
    "/sitemap-index.xml": () => ({
      type: "application/xml",
      body: `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${Array.from({ length: sitemaps }, (_, at) => `<sitemap><loc>${url}/sitemap-${at}.xml.gz</loc></sitemap>`).join("")}</sitemapindex>`,
    }),
    "/download": () => ({ type: "application/pdf", body: "%PDF-1.4" }),
    "/data": () => ({ type: "application/json", body: `{"tea": "green"}` }),
    "/packed": () => ({ type: "application/zip", body: "PK" }),
    "/report.pdf": () => ({ type: "application/pdf", body: report }),
    "/huge": () => ({ type: "text/html", body: Buffer.alloc(11_000_000, "<p>x</p>") }),
    "/": () => ({
      type: "text/html",
      body: page(
        "Tea gardens",
        [
          ...Array.from({ length: sections }, (_, at) => `<a href="/section/${at}">${at}</a>`),
          `<a href="/calendar/2026/1">Calendar</a> <a href="/private/1">Private</a> <a href="/private/open">Open</a>`,
          `<a href="/loop/">Loop</a> <a href="/list">List</a> <a href="/list?sort=price">By price</a> <a href="/flaky">Flaky</a> <a href="/greeted">Greeted</a> <a href="/agreed">Agreed</a> <a href="/data">Data</a> <a href="/packed">Packed</a> <a href="/moving">Moving</a>`,
          `<a href="/huge">Huge</a> <a href="/download">File</a> <a href="/report.pdf">Report</a> <a href="/round/1">Round</a>`,
          `<a rel="nofollow" href="/secret">Secret</a> <a href="/tagged">Tagged</a> <a href="http://elsewhere.invalid/">Elsewhere</a> <a href="#top">Top</a>`,
        ].join("\n"),
      ),
    }),
  };

  const pathOf = (
    path: string,
  ): {
    status: number;
    type?: string;
    location?: string;
    robotsTag?: string;
    body: string | Buffer;
  } => {
    const file = files[path]?.();
    if (file) return { status: 200, ...file };
    const [, first = "", second = "", third = ""] = path.split("/");
    const index = Number(second);
    switch (first) {
      case "article":
        return { status: 200, body: article(index) };
      case "print":
        return {
          status: 200,
          body: page(
            `Article ${index}, for printing`,
            paragraph(index),
            `<link rel="canonical" href="/article/${index}">`,
          ),
        };
      case "copy":
        return { status: 200, body: article(index) };
      case "agree":
        return { status: 302, location: "/agreed", body: "" };
      case "greet":
        return { status: 302, location: "/greeted", body: "" };
      case "old":
        return { status: 301, location: `/article/${index}`, body: "" };
      case "round":
        return { status: 302, location: `/round/${index === 1 ? 2 : 1}`, body: "" };
      case "section": {
        const links = Array.from(
          { length: Math.min(perSection, linked - index * perSection) },
          (_, at) => `<a href="/article/${index * perSection + at}">Article</a>`,
        );
        return { status: 200, body: page(`Section ${index}`, links.join("\n")) };
      }
      case "calendar": {
        const month = Number(third);
        const next = month === 12 ? `${index + 1}/1` : `${index}/${month + 1}`;
        return {
          status: 200,
          body: page(`${month}/${index}`, `<a href="/calendar/${next}">Next month</a>`),
        };
      }
      case "loop":
        return { status: 200, body: page(`Loop ${path.length}`, `<a href="a/">Deeper</a>`) };
      case "moving":
        return {
          status: 200,
          body: page(
            first,
            "<p>We move.</p>",
            `<meta http-equiv="refresh" content="60; url='/moved'">`,
          ),
        };
      case "moved":
      case "about":
      case "list":
      case "flaky":
      case "greeted":
      case "agreed":
        return { status: 200, body: page(first, `<p>About ${first}.</p>`) };
      case "tagged":
        return {
          status: 200,
          robotsTag: "otherbot: noindex, public-data-gateway: nofollow",
          body: page("Tagged", `<a href="/secret/tagged">Secret</a>`),
        };
      case "private":
        return { status: 200, body: page(path, "<p>Notes.</p>") };
      default:
        return /^sitemap-\d+\.xml\.gz$/.test(first)
          ? {
              status: 200,
              type: "application/gzip",
              body: gzipSync(sitemap(Number(/\d+/.exec(first)?.[0]))),
            }
          : { status: 404, body: "<p>There is no such page.</p>" };
    }
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.url as string;
    const count = (visits.get(address) ?? 0) + 1;
    visits.set(address, count);
    times.push({ path: address, at: performance.now() });
    atOnce += 1;
    mostAtOnce = Math.max(mostAtOnce, atOnce);
    response.once("close", () => (atOnce -= 1));
    const path = address.split("?", 1)[0] as string;
    if (/^\/article\/\d*17$/.test(path)) await sleep(150);
    if (path === "/flaky" && count === 1) return void response.writeHead(503).end();
    // Both pages need a cookie: another address sets it and leads back, or the page itself does.
    const cookie = request.headers.cookie ?? "";
    if (path === "/agreed" && !cookie.includes("agreed=1"))
      return void response.writeHead(302, { location: "/agree?back=/agreed" }).end();
    if (path === "/agree") response.setHeader("set-cookie", "agreed=1; Path=/");
    if (path === "/greeted" && !cookie.includes("greeted=1"))
      return void response.writeHead(302, { location: "/greet", "set-cookie": "greeted=1" }).end();
    const { status, type = "text/html; charset=utf-8", location, robotsTag, body } = pathOf(path);
    response.writeHead(status, {
      "content-type": type,
      ...(location ? { location } : {}),
      ...(robotsTag ? { "x-robots-tag": robotsTag } : {}),
    });
    response.end(body);
  }

  const server = createServer((request, response) => void serve(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `http://${address}`;

  const months = Array.from(
    { length: calendar + 1 },
    (_, at) => `/calendar/${2026 + Math.floor(at / 12)}/${1 + (at % 12)}`,
  );
  return {
    url,
    address,
    visits,
    times,
    pages: new Set([
      "/",
      "/about",
      "/private/open",
      "/list",
      "/tagged",
      "/flaky",
      "/greeted",
      "/agreed",
      "/moving",
      "/moved",
      "/report.pdf",
      "/loop/",
      "/loop/a/",
      "/loop/a/a/",
      ...Array.from({ length: sections }, (_, at) => `/section/${at}`),
      ...Array.from({ length: articles }, (_, at) => `/article/${at}`),
      ...months,
    ]),
    faults: new Set([
      `${url}/huge`,
      `${url}/download`,
      ...Array.from({ length: articles }, (_, at) => at)
        .filter((at) => at % 13 === 0)
        .map((at) => `${url}/missing/${at}`),
    ]),
    mostAtOnce: () => mostAtOnce,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
