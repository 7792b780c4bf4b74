import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Attack, Attacks, Target } from "./attack.ts";
import { aSecond, inLanes, send } from "./client.ts";

/** Attacks by crawls of the account's own sites, and the answers of these sites. */

/** A crawl lasts so long, in milliseconds; then the account cancels it and starts the next. */
const crawlMs = 4000;
/** Of an account's open batches at most 100 are allowed. */
const lanes = 40;

/** Answer of a site: a text, packed bytes, an address to go to, or a text without end. */
export interface SiteAnswer {
  type?: string;
  isPacked?: boolean;
  body?: string | Buffer;
  location?: string;
  endless?: string;
}

let pages = 0;
const next = () => `${(pages += 1)}-${Math.random().toString(36).slice(2)}`;
const html = (links: readonly string[]) =>
  `<!doctype html><title>${next()}</title>${links.map((link) => `<a href="${link}">x</a>`).join("")}<p>${next().repeat(20)}</p>`;
/** As many as the gateway reads of a file, with wildcards in each. */
const rules = `User-agent: *\n${Array.from({ length: 16_000 }, (_, n) => `Disallow: /*a*b*c${n}*d*e$`).join("\n")}`;
/** 50 MB unpacked. */
const sitemap = (() => {
  let packed: Buffer | undefined;
  return () => {
    const entry = (n: number) =>
      `<url><loc>http://files.localhost/${n}/${"long".repeat(230)}</loc></url>`;
    const all = Array.from({ length: 50_000 }, (_, n) => entry(n)).join("");
    return (packed ??= gzipSync(
      `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${all}</urlset>`,
    ));
  };
})();
const emptyBomb = (() => {
  let packed: Buffer | undefined;
  return () => (packed ??= gzipSync(Buffer.alloc(200_000_000, 32)));
})();
/** A path that keeps every place of the slow patterns possible to its end. */
const longPath = () => `/${"a".repeat(1900)}${pages++}`;
const slowPattern = (end: string) => `/**${"a*".repeat(97)}${end}`;

/** The sites by the last part of their host before `.localhost`. */
const sites: Record<string, (path: string, port: number) => SiteAnswer> = {
  trap: (path) =>
    path === "/robots.txt"
      ? {}
      : { body: html(Array.from({ length: 5000 }, () => `/${next()}/${next()}`)) },
  long: (path) =>
    path === "/robots.txt"
      ? {}
      : { body: html(Array.from({ length: 5000 }, () => `/${next()}/${"long".repeat(450)}`)) },
  hosts: (path, port) =>
    path === "/robots.txt"
      ? { type: "text/plain", body: rules }
      : {
          body: html(
            Array.from({ length: 500 }, () => `http://h${next()}.hosts.localhost:${port}/`),
          ),
        },
  files(path, port) {
    if (path !== "/robots.txt") {
      return path.startsWith("/bomb")
        ? { type: "application/gzip", body: emptyBomb() }
        : { type: "application/xml", isPacked: true, body: sitemap() };
    }
    const names = Array.from({ length: 500 }, (_, n) => (n % 2 ? `s${n}.xml` : `bomb${n}.xml`));
    const lines = names.map((name) => `Sitemap: http://files.localhost:${port}/${name}`);
    return { type: "text/plain", body: lines.join("\n") };
  },
  robots: () => ({ type: "text/plain", endless: "Disallow: /a\n".repeat(5000) }),
  patterns: (path) => (path === "/robots.txt" ? {} : { location: longPath() }),
};

/** Undefined for a host that is no site of these. */
export function siteAnswer(host: string, path: string, port: number): SiteAnswer | undefined {
  const name = /([a-z]+)\.localhost(?::\d+)?$/.exec(host)?.[1];
  return name === undefined ? undefined : sites[name]?.(path, port);
}

interface Crawled {
  about: string;
  input?: Record<string, unknown>;
  /** Sites that are crawled in turn. */
  hosts: readonly string[];
  victim?: Attack["victim"];
}

const crawled: Record<string, Crawled> = {
  "crawl-traps": {
    about:
      "40 crawls at a time of a site whose pages each have 5,000 links to further ones, some of 1,800 characters",
    hosts: ["trap", "long"],
  },
  "crawls-beside-pages": {
    about: "the crawls of crawl-traps beside pages that another account renders",
    hosts: ["trap", "long"],
    victim: "render",
  },
  "crawl-hosts": {
    about: "crawls of 10,000 hosts, each with a robots.txt of 500 KB of wildcards",
    hosts: ["hosts"],
    input: { scope: "subdomains" },
  },
  "crawl-files": {
    about: "crawls of 500 packed sitemaps of 50 and 200 MB, and of a robots.txt without end",
    hosts: ["files", "robots"],
    input: { source: "sitemap" },
  },
  "crawl-patterns": {
    about: "crawls with 99 slow patterns, of a site that redirects to long addresses",
    hosts: ["patterns"],
    input: {
      include: ["/**", ...Array.from({ length: 49 }, (_, n) => slowPattern(`y${n}`))],
      exclude: Array.from({ length: 50 }, (_, n) => slowPattern(`z${n}`)),
    },
  },
};

function attackOf({ about, input = {}, hosts, victim = "fetch" }: Crawled): Attack {
  const run = (target: Target) =>
    inLanes(target, lanes, async (lane) => {
      const host = `${hosts[lane % hosts.length]}.localhost:${target.sitePort}`;
      const body = { url: `http://${host}/`, limit: 50_000, max_concurrency: 64, ...input };
      const answer = await send(target, target.live, { path: "/web/crawl", body });
      const id = (JSON.parse(answer.text) as { data?: { id: string } }).data?.id;
      if (id === undefined) return answer;
      await sleep(crawlMs, undefined, { signal: target.over });
      return send(target, target.live, { method: "DELETE", path: `/web/crawl/${id}` });
    });
  return { about, victim, run };
}

export const crawlAttacks: Attacks = {
  ...Object.fromEntries(Object.entries(crawled).map(([name, one]) => [name, attackOf(one)])),
  "site-maps": {
    about: "calls of /web/map on 20 connections for 100 packed sitemaps of 50 and 200 MB",
    victim: "fetch",
    run: (target) =>
      inLanes(target, 20, () =>
        send(target, target.live, {
          path: "/web/map",
          body: { url: `http://files.localhost:${target.sitePort}/`, limit: 50_000 },
        }),
      ),
  },
  "held-pages": {
    about:
      "requests at the account's rate that wait a minute for pages of a crawl that stands still",
    victim: "social",
    async run(target) {
      const body = { url: `http://never.localhost:${target.sitePort}/never`, limit: 5 };
      const answer = await send(target, target.live, { path: "/web/crawl", body });
      const { data } = JSON.parse(answer.text) as { data: { id: string } };
      await aSecond(target, 50, () =>
        send(target, target.live, { method: "GET", path: `/web/crawl/${data.id}/pages?wait=60` }),
      );
    },
  },
};
