import { GatewayError } from "../../../../contract/errors.ts";
import type { CrawlFound, CrawlLink, CrawlTask } from "../../../../runtime/crawl.ts";
import type { Call } from "../../../connector.ts";
import { siteAgent } from "../../../transport/site.ts";
import type { FetchParts } from "./fetch-parts.ts";
import { normalise } from "./address.ts";

/** Bytes of a sitemap as it is sent; the protocol's own limit. */
const mostBytes = 52_428_800;
/** Addresses that one item takes from a sitemap; a further item takes the next ones. */
const atOnce = 2000;
const mostEntries = 50_000;
/** Indexes may name indexes. */
const mostIndexes = 3;
const longestDelaySeconds = 60;

type File = Pick<FetchParts, "fetchSite" | "parsers" | "threads" | "siteRules">;

/** Reads a file of the crawled site: robots.txt with the first item, else a sitemap. */
export async function readFile(
  parts: File,
  url: string,
  crawl: CrawlTask,
  call: Call,
): Promise<CrawlFound> {
  const links =
    crawl.depth === 0
      ? await begin(parts, crawl, call)
      : { links: await sitemap(parts, url, crawl, call) };
  return { keys: [], drop: "file", ...links };
}

/** The first addresses of a crawl: its start, and the sitemaps that robots.txt names, or the usual place of one. */
async function begin(
  { siteRules, threads, fetchSite }: File,
  { rules }: CrawlTask,
  call: Call,
): Promise<Pick<CrawlFound, "links" | "delay_ms">> {
  const start = normalise(rules.start) ?? rules.start;
  const robots = await siteRules.of(start, fetchSite, call.signal).catch((error: unknown) => {
    if (rules.obeysRobots) throw error;
    return "";
  });
  const task = { kind: "allowed", url: start, robots, agent: siteAgent } as const;
  const stated = await threads.run(task, call.account, call.signal);
  if (rules.obeysRobots && !stated.isAllowed) {
    throw new GatewayError("upstream_error", "The site's robots.txt does not allow the start");
  }
  const named = stated.sitemaps.flatMap((address) => normalise(address, start) ?? []);
  const sitemaps = named.length > 0 ? named : [new URL("/sitemap.xml", start).href];
  const { delay = 0 } = stated;
  const waits = rules.obeysRobots && call.mode === "live" && delay > 0;
  return {
    links: [
      ...(rules.source === "sitemap" ? [] : [[start, 0, 0, 0] as CrawlLink]),
      ...(rules.source === "links"
        ? []
        : [...new Set(sitemaps)].map((address): CrawlLink => [address, 1, 1, 0])),
    ],
    ...(waits ? { delay_ms: Math.ceil(Math.min(delay, longestDelaySeconds) * 1000) } : {}),
  };
}

/** Addresses of a sitemap from the place that the fragment names, or the sitemaps of an index. */
async function sitemap(
  { siteRules, threads, parsers, fetchSite }: File,
  address: string,
  crawl: CrawlTask,
  call: Call,
): Promise<CrawlLink[]> {
  const [url = "", place = "0"] = address.split("#", 2);
  const from = Number(place);
  const accept = "application/xml, text/xml, */*;q=0.5";
  const found = await parsers.inTurn(call.account, call.signal, async () => {
    const answer = await fetchSite({ url, signal: call.signal, mostBytes, accept });
    if (answer.status === 429 || answer.status >= 500) {
      const message = `The sitemap answered with status ${answer.status}`;
      throw new GatewayError("upstream_unavailable", message, { retryAfter: 5 });
    }
    if (answer.status < 200 || answer.status >= 300) return undefined;
    const { bytes, contentType } = answer;
    const task = { kind: "file", bytes, contentType, most: mostEntries, withLinks: false } as const;
    return { at: answer.url, file: await parsers.run(task, call.account, call.signal) };
  });
  if (!found) return [];
  const { at, file } = found;
  const further =
    crawl.depth < mostIndexes && file.kind === "index"
      ? file.files.flatMap((one): CrawlLink[] => {
          const target = normalise(one, at);
          return target === undefined ? [] : [[target, 1, crawl.depth + 1, 0]];
        })
      : [];
  const entries = file.entries.slice(from, from + atOnce);
  if (file.entries.length > from + atOnce) {
    further.push([`${url}#${from + atOnce}`, 1, crawl.depth, 0]);
  }
  const robots = crawl.rules.obeysRobots
    ? await siteRules.of(crawl.rules.start, fetchSite, call.signal)
    : "";
  const base = file.base ?? at;
  const pages = await threads.run(
    { kind: "entries", base, entries, crawl: { ...crawl, robots, agent: siteAgent } },
    call.account,
    call.signal,
  );
  return [...further, ...pages];
}
