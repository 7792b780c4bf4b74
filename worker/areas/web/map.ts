import { setImmediate as nextLoop } from "node:timers/promises";
import type { web as area } from "../../../contract/areas/web/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import { siteOf } from "../../browser/page/site-of.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import type { Call } from "../../connector.ts";
import type { FetchSite } from "../../transport/site.ts";
import type { Parsers } from "./parser.ts";
import { robots } from "./robots.ts";
import { addressIn, instantIn } from "./values.map.ts";

type SiteMap = Extract<(typeof area.operations)[number], { id: "web.map" }>;
type Source = DataOf<SiteMap>["sources"][number];

const limits = {
  /** Files of one call; an index of the largest sites names more. */
  files: 100,
  /** Bytes of one file as it is sent. */
  bytes: 52_428_800,
  /** Indexes may name indexes, and pages feeds. */
  depth: 3,
  simultaneous: 4,
  ms: 50_000,
  /** Addresses that are looked at before other work has a turn: about a millisecond. */
  entriesAtOnce: 250,
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
      const { at, file } = await parsers.inTurn(call.account, signal, async () => {
        const answer = await fetchSite({
          url: address,
          signal,
          mostBytes: limits.bytes,
          accept: "application/xml, text/xml, */*;q=0.5",
        });
        if (answer.status < 200 || answer.status >= 300) throw statusError(answer.status);
        const { bytes, contentType } = answer;
        const withLinks = address === input.url;
        const task = { kind: "file", bytes, contentType, most: input.limit, withLinks } as const;
        return { at: answer.url, file: await parsers.run(task, call.account, signal) };
      });
      await before;
      const count = await found.add(file.entries, addressIn(file.base, at) ?? at);
      if (file.kind !== "other") found.sources.push({ url: at, kind: file.kind, count });
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
  readonly #site: string;
  readonly #host: string;
  readonly #search: string | undefined;
  readonly #addresses = new Map<string, string | undefined>();

  constructor(input: InputOf<SiteMap>) {
    this.#input = input;
    this.#site = siteOf(input.url);
    this.#host = new URL(input.url).host;
    this.#search = input.search?.toLowerCase();
  }

  isFull(): boolean {
    return this.#addresses.size >= this.#input.limit;
  }

  /**
   * Keeps the addresses of the site that match the search; returns how many the file names. The 50,000 of a file
   * would hold the event loop for 0.2 s.
   */
  async add(
    entries: readonly (readonly [string, string | undefined])[],
    base: string,
  ): Promise<number> {
    for (const [index, [stated, changed]] of entries.entries()) {
      if (index > 0 && index % limits.entriesAtOnce === 0) await nextLoop();
      const address = addressIn(stated, base)?.replace(/#.*$/, "");
      if (address === undefined || !this.#belongs(address)) continue;
      const known = this.#addresses.get(address);
      if (known === undefined && !this.#addresses.has(address) && this.isFull()) {
        this.isCut = true;
        break;
      }
      this.#addresses.set(address, known ?? instantIn(changed));
    }
    return entries.length;
  }

  #belongs(address: string): boolean {
    const isHere = this.#input.include_subdomains
      ? siteOf(address) === this.#site
      : new URL(address).host === this.#host;
    return isHere && (this.#search === undefined || address.toLowerCase().includes(this.#search));
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
