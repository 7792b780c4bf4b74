import { GatewayError } from "../../../../contract/errors.ts";
import type { CrawlFound, CrawlLink, CrawlTask } from "../../../../runtime/crawl.ts";
import type { Call } from "../../../connector.ts";
import { fullTypeOf, siteAgent } from "../../../transport/site.ts";
import type { FetchParts } from "./fetch-parts.ts";
import type { FileTask } from "../parser.ts";
import { normalise } from "./address.ts";
import type { KeptFile } from "./kept-files.ts";
import { mostCharacters } from "./scope.ts";

/** Bytes of a sitemap as it is sent; the protocol's own limit. */
const mostBytes = 52_428_800;
/** Addresses and their characters that one item takes from a sitemap; a further item takes the next ones. */
const part = { entries: 2000, characters: mostCharacters, allCharacters: 25 * mostCharacters };
const mostEntries = 50_000;
/** Indexes may name indexes. */
const mostIndexes = 3;
const longestDelaySeconds = 60;

type File = Pick<FetchParts, "fetchSite" | "parsers" | "threads" | "siteRules" | "keptFiles">;

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
  parts: File,
  address: string,
  crawl: CrawlTask,
  call: Call,
): Promise<CrawlLink[]> {
  const [url = "", place = "0"] = address.split("#", 2);
  const from = Number(place);
  const file = await fileOf(parts, url, from, call);
  if (!file) return [];
  const further =
    crawl.depth < mostIndexes && file.kind === "index"
      ? file.files.flatMap((one): CrawlLink[] => {
          const target = normalise(one, file.at);
          return target === undefined ? [] : [[target, 1, crawl.depth + 1, 0]];
        })
      : [];
  const index = file.parts.findLastIndex((one) => one.from <= from);
  const here = file.parts[index];
  if (!here) return further;
  const next = file.parts[index + 1];
  if (next) further.push([`${url}#${next.from}`, 1, crawl.depth, 0]);
  const robots = crawl.rules.obeysRobots
    ? await parts.siteRules.of(crawl.rules.start, parts.fetchSite, call.signal)
    : "";
  const pages = await parts.threads.run(
    { kind: "entries", base: file.at, part: here, crawl: { ...crawl, robots, agent: siteAgent } },
    call.account,
    call.signal,
  );
  return [...further, ...pages];
}

/** The file; undefined for one that the site does not have. Its further parts are kept for the items to come. */
async function fileOf(
  { parsers, fetchSite, keptFiles }: File,
  url: string,
  from: number,
  call: Call,
): Promise<KeptFile | undefined> {
  // A crawl begins with the file as it is now.
  const kept = from > 0 ? keptFiles.of(call.account, url) : undefined;
  if (kept) return kept;
  const accept = "application/xml, text/xml, */*;q=0.5";
  return parsers.inTurn(call.account, call.signal, async (grow) => {
    const { signal } = call;
    const request = { url, signal, mostBytes, accept, staysPacked: true, grow };
    const answer = await fetchSite(request);
    if (answer.status === 429 || answer.status >= 500) {
      const message = `The sitemap answered with status ${answer.status}`;
      throw new GatewayError("upstream_unavailable", message, { retryAfter: 5 });
    }
    if (answer.status < 200 || answer.status >= 300) return undefined;
    const { bytes, encoding } = answer;
    const task: FileTask = {
      kind: "file",
      bytes,
      encoding,
      contentType: fullTypeOf(answer),
      most: mostEntries,
      withLinks: false,
      part,
    };
    const file = { ...(await parsers.file(task, call.account, signal)), at: answer.url };
    keptFiles.keep(call.account, url, file);
    return file;
  });
}
