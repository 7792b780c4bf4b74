import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";
import type { CrawlFound, CrawlLink, CrawlRules } from "../../../../runtime/crawl.ts";
import { convert } from "../../../browser/markdown/convert.ts";
import { decodeHtml } from "../../../browser/plain/charset.ts";
import { type PlainPage, readPlainPage } from "../../../browser/plain/plain-page.ts";
import { stepBack } from "../../../thread-priority.ts";
import { metadataOf } from "../metadata.map.ts";
import { extractOf } from "../plain-extract.ts";
import { RobotsRules } from "../robots-text.ts";
import { entriesIn } from "../site-parts.ts";
import { instantIn } from "../values.map.ts";
import { normalise } from "./address.ts";
import type {
  AllowedTask,
  CrawlThreadTask,
  EntriesTask,
  LinksTask,
  PageTask,
  ReadPage,
} from "./page-task.ts";
import { closesLinks } from "./robots-tag.ts";
import { Scope } from "./scope.ts";

/** Reads what sites send to a crawl, in a thread of its own. */

/** Parsed, the longest file of rules takes 4 MB, of a thread's 512: four are kept. */
const mostCharacters = 2 ** 21;

/** The latest files and rules, because a crawl has the same for all of its pages. */
class Latest<Value> {
  readonly #values = new Map<string, Value>();
  #characters = 0;
  of(key: string, make: () => Value): Value {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = make();
      if (this.#characters + key.length > mostCharacters) {
        this.#values.clear();
        this.#characters = 0;
      }
      this.#values.set(key, value);
      this.#characters += key.length;
    }
    return value;
  }
}
const files = new Latest<RobotsRules>();
const scopes = new Latest<Scope>();

function robotsOf(url: string, text: string) {
  const address = new URL("/robots.txt", url).href;
  return files.of(`${address} ${text}`, () => new RobotsRules(address, text));
}
const scopeOf = (rules: CrawlRules) => scopes.of(JSON.stringify(rules), () => new Scope(rules));

function isAllowed(url: string, robots: string, agent: string): boolean {
  return robots === "" || robotsOf(url, robots).isAllowed(url, agent);
}

function allowed({ url, robots, agent }: AllowedTask) {
  const rules = robotsOf(url, robots);
  return {
    isAllowed: isAllowed(url, robots, agent),
    delay: rules.delayFor(agent),
    sitemaps: rules.sitemaps(500),
  };
}

/** Leaves out what the site's robots.txt closes; of other hosts it says nothing, theirs is asked before their pages. */
function open(links: CrawlLink[], page: string, robots: string, agent: string): CrawlLink[] {
  if (robots === "") return links;
  const { origin } = new URL(page);
  return links.filter(([url]) => new URL(url).origin !== origin || isAllowed(url, robots, agent));
}

function entries({ base, part, crawl }: EntriesTask): CrawlLink[] {
  const { rules, robots, agent } = crawl;
  const since = rules.modifiedSince === undefined ? undefined : Date.parse(rules.modifiedSince);
  const isOld = (changed: string | undefined) => {
    const at = since === undefined ? Number.NaN : Date.parse(instantIn(changed) ?? "");
    return !Number.isNaN(at) && at < (since as number);
  };
  return open(scopeOf(rules).pagesOf(entriesIn(part), base, isOld), rules.start, robots, agent);
}

/** Shorter texts, such as "Not available", are the same on pages that differ. */
const leastContent = 100;

/** The names of a page: its address, or the canonical one that it states, and its content. */
function keysOf(url: string, canonical: string | undefined, content: string, rules: CrawlRules) {
  const own = normalise(url) ?? url;
  if (!rules.skipsDuplicates) return [`address ${own}`];
  const stated = canonical === undefined ? undefined : normalise(canonical, url);
  const address = stated !== undefined && scopeOf(rules).isHere(stated) ? stated : own;
  const digest = createHash("sha256").update(content).digest("base64url");
  return content.length < leastContent
    ? [`address ${address}`]
    : [`address ${address}`, `content ${digest}`];
}

function links({ url, links: found, canonical, content, crawl }: LinksTask): CrawlFound {
  const { rules, robots, agent } = crawl;
  const scope = scopeOf(rules);
  const all = canonical === undefined ? found : [...found, canonical];
  // The start, or a page that another one redirects to.
  const isUnwanted = !scope.matches(normalise(url) ?? url);
  const isRead = !isUnwanted || crawl.depth === 0;
  return {
    links: isRead ? open(scope.linksFrom(url, all, crawl), url, robots, agent) : [],
    keys: keysOf(url, canonical, content, rules),
    ...(isUnwanted ? { drop: "pattern" as const } : {}),
  };
}

function page(task: PageTask): ReadPage {
  const { url, formats, mainContentOnly, crawl } = task;
  const text = decodeHtml(task.bytes, task.contentType);
  const read = readPlainPage(text, url, task.contentType);
  const has = (format: (typeof formats)[number]) => formats.includes(format);
  const markdown = (only: boolean) =>
    convert({ html: read.html, title: read.title ?? "", mainContentOnly: only });
  const forms: Record<string, unknown> = {};
  if (has("html")) forms["html"] = text;
  if (has("markdown")) forms["markdown"] = markdown(mainContentOnly);
  if (has("main_content")) forms["main_content"] = markdown(true);
  if (has("links")) forms["links"] = read.links.map((link) => link.url);
  if (has("metadata")) forms["metadata"] = stated(read, task);
  if (has("extract")) {
    const result = extractOf(read, { text: read.source, url }, task.extract);
    if ("refusal" in result) return { forms: {}, found: undefined, refusal: result.refusal };
    forms["extract"] = result.extract;
  }
  if (!crawl) return { forms, found: undefined };
  const follows =
    !crawl.rules.obeysRobots || !closesLinks(`${read.robots}${task.robotsTag}`, crawl.agent);
  const followed = read.links.filter((link) => link.isFollowed || !crawl.rules.obeysRobots);
  const found = links({
    kind: "links",
    url,
    links: follows ? followed.map((link) => link.url) : [],
    canonical: read.canonical,
    content: read.text === "" ? "" : `${read.title ?? ""}\n${read.text}`,
    crawl,
  });
  return { forms, found };
}

function stated(
  { title, language, canonical, metas, headLinks }: PlainPage,
  { url, status, contentType }: PageTask,
) {
  const described = metas.find(({ name }) => /^(?:og:)?description$/i.test(name))?.content;
  const { url: _, ...metadata } = metadataOf(
    { url, metas, links: headLinks },
    {
      title,
      description: described,
      language,
      canonical_url: canonical,
      status,
      content_type: contentType.split(";")[0]?.trim().toLowerCase() ?? "",
    },
  ) as ReturnType<typeof metadataOf> & { url: string };
  return metadata;
}

function resultOf(task: CrawlThreadTask): unknown {
  switch (task.kind) {
    case "page":
      return page(task);
    case "links":
      return links(task);
    case "entries":
      return entries(task);
    case "allowed":
      return allowed(task);
  }
}

stepBack();
parentPort?.on("message", (task: CrawlThreadTask) =>
  parentPort?.postMessage({ result: resultOf(task) }),
);
