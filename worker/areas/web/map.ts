import { setImmediate as nextLoop } from "node:timers/promises";
import type { web as area } from "../../../contract/areas/web/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import { siteOf } from "../../browser/page/site-of.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import type { Call } from "../../connector.ts";
import { type FetchSite, fullTypeOf } from "../../transport/site.ts";
import type { FileTask, Parsers } from "./parser.ts";
import { robots } from "./robots.ts";
import { type FileParts, type Wanted, entriesIn } from "./site-parts.ts";
import { addressIn } from "./values.map.ts";

type SiteMap = Extract<(typeof area.operations)[number], { id: "web.map" }>;
type Source = DataOf<SiteMap>["sources"][number];

/**
 * Characters of the addresses of one call: 200 for each of the most that a call may want. With 30 MB, as much as a
 * result may have, twenty calls held 0.7 GB.
 */
const mostCharacters = 10 * 2 ** 20;

const limits = {
  /** Files of one call; an index of the largest sites names more. */
  files: 100,
  /** Bytes of one file as it is sent. */
  bytes: 52_428_800,
  /** Indexes may name indexes, and pages feeds. */
  depth: 3,
  simultaneous: 4,
  ms: 50_000,
  /** Addresses that are kept before other work has a turn: less than a millisecond. */
  part: { entries: 250, characters: 100_000, allCharacters: mostCharacters },
};

const noKind = "The file is no sitemap, feed or page";
const faults = {
  cut: "The file ends too early: the addresses before its end count",
  broken: "The file is not valid XML: the addresses before its fault count",
};

/** Addresses of a site from its sitemaps and feeds and the links of one page, without rendering a page. */
export async function map(
  fetchSite: FetchSite,
  parsers: Parsers,
  input: InputOf<SiteMap>,
  call: Call,
): Promise<{ data: DataOf<SiteMap> }> {
  const found = new Found(input);
  const over = AbortSignal.timeout(limits.ms);
  const signal = AbortSignal.any([call.signal, over]);
  const rules = { ...input, agent: "*" };
  const { data: stated } = await robots(fetchSite, parsers, rules, { ...call, signal });
  // Without a line in robots.txt the protocol's usual place is tried.
  const named =
    stated.sitemaps.length > 0 ? stated.sitemaps : [new URL("/sitemap.xml", input.url).href];

  /** Reads one file; it counts after `before`, so that the same site has the same answer in the same order. */
  async function read(address: string, before: Promise<void>): Promise<string[]> {
    if (over.aborted || found.isFull()) {
      found.isCut = true;
      return [];
    }
    try {
      const { at, file } = await parsers.inTurn(call.account, signal, async (grow) => {
        const answer = await fetchSite({
          url: address,
          signal,
          mostBytes: limits.bytes,
          staysPacked: true,
          grow,
          accept: "application/xml, text/xml, */*;q=0.5",
        });
        if (answer.status < 200 || answer.status >= 300) throw statusError(answer.status);
        const { bytes, encoding, url: at } = answer;
        const task: FileTask = {
          kind: "file",
          bytes,
          encoding,
          contentType: fullTypeOf(answer),
          wanted: found.wantedOf(at),
          most: input.limit,
          withLinks: address === input.url,
          part: limits.part,
        };
        return { at, file: await parsers.file(task, call.account, signal) };
      });
      await before;
      await found.add(file);
      const kind = file.kind === "other" ? "unread" : file.kind;
      const problem = kind === "unread" ? noKind : file.fault && faults[file.fault];
      found.sources.push({
        url: at,
        kind,
        count: file.count,
        ...(problem ? { problem } : {}),
      });
      return file.files.flatMap((one) => addressIn(one, at) ?? []);
    } catch (error) {
      call.signal.throwIfAborted();
      await before;
      if (over.aborted) found.isCut = true;
      else if (!(error instanceof GatewayError)) throw error;
      const problem = error instanceof GatewayError ? error.message : "There was no time left";
      found.sources.push({ url: address, kind: "unread", count: 0, problem });
      return [];
    }
  }

  const seen = new Set<string>();
  let level = [...named, input.url];
  for (let depth = 0; depth < limits.depth && level.length > 0; depth += 1) {
    const fresh = [...new Set(level)].filter((address) => !seen.has(address));
    const room = limits.files - seen.size;
    if (fresh.length > room) found.isCut = true;
    const pending = fresh.slice(0, room);
    for (const address of pending) seen.add(address);
    const next: string[] = [];
    let last = Promise.resolve();
    const lane = async () => {
      for (let address = pending.shift(); address !== undefined; address = pending.shift()) {
        const before = last;
        const { promise, resolve } = Promise.withResolvers<void>();
        last = promise;
        try {
          next.push(...(await read(address, before)));
        } finally {
          resolve();
        }
      }
    };
    await Promise.all(Array.from({ length: limits.simultaneous }, lane));
    level = next;
  }
  return { data: withinResultLimit(found.data()) };
}

const statusError = (status: number) =>
  new GatewayError("upstream_error", `The site answered with status ${status}`);

/** Addresses found so far, each once. */
class Found {
  readonly sources: Source[] = [];
  isCut = false;
  readonly #input: InputOf<SiteMap>;
  readonly #addresses = new Map<string, string | undefined>();
  #characters = 0;

  constructor(input: InputOf<SiteMap>) {
    this.#input = input;
  }

  isFull(): boolean {
    return this.#addresses.size >= this.#input.limit || this.#characters > mostCharacters;
  }

  /** Addresses of the site that match the search. */
  wantedOf(at: string): Wanted {
    const { url, include_subdomains: isWhole, search, limit } = this.#input;
    return {
      at,
      host: new URL(url).host,
      site: isWhole ? siteOf(url) : undefined,
      search: search?.toLowerCase(),
      most: limit,
    };
  }

  /** Keeps the addresses. The 50,000 of a file would hold the event loop for 0.1 s. */
  async add({ parts, isCut }: FileParts): Promise<void> {
    if (isCut) this.isCut = true;
    for (const [index, part] of parts.entries()) {
      if (index > 0) await nextLoop();
      for (const [address, changed] of entriesIn(part)) {
        if (this.#addresses.has(address)) {
          if (changed !== undefined) {
            this.#addresses.set(address, this.#addresses.get(address) ?? changed);
          }
          continue;
        }
        if (this.isFull()) {
          this.isCut = true;
          return;
        }
        this.#addresses.set(address, changed);
        this.#characters += address.length;
      }
    }
  }

  data(): DataOf<SiteMap> {
    return {
      url: this.#input.url,
      addresses: [...this.#addresses].map(([url, changed]) =>
        changed === undefined ? { url } : { url, modified_at: changed },
      ),
      sources: this.sources,
      ...(this.isCut ? { is_cut: true as const } : {}),
    };
  }
}
