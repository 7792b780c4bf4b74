import type { web as area } from "../../../contract/areas/web/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import type { CrawlFound } from "../../../runtime/crawl.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import type { Answer, Call } from "../../connector.ts";
import type { SiteAnswer } from "../../transport/site.ts";
import { siteAgent } from "../../transport/site.ts";
import { mostRun, normalise } from "./crawl/address.ts";
import type { FetchParts } from "./crawl/fetch-parts.ts";
import { Scope } from "./crawl/scope.ts";
import { readFile } from "./crawl/site-files.ts";

type Fetch = Extract<(typeof area.operations)[number], { id: "web.fetch" }>;

/** Larger pages are a fault of the site, or none that anybody reads. */
const mostBytes = 10_000_000;
const htmlTypes = /^(?:text\/html|application\/xhtml\+xml)$/;

/** Reads a page by plain HTTP; for a crawl also what it found, and the files of its site. */
export async function fetchPage(
  parts: FetchParts,
  input: InputOf<Fetch>,
  call: Call,
): Promise<Answer<DataOf<Fetch>>> {
  const { crawl } = call;
  if (crawl?.kind === 1) {
    return { data: { url: input.url }, found: await readFile(parts, input.url, crawl, call) };
  }
  const robots = crawl ? await robotsOf(parts, input.url, call) : "";
  if (robots === undefined) return dropped(input.url, "robots");
  call.timeline?.stage("load");
  const { accept_language: language } = input;
  const answer = await parts.fetchSite({
    url: input.url,
    signal: call.signal,
    mostBytes,
    accept: "text/html,application/xhtml+xml,*/*;q=0.5",
    ...(language === undefined ? {} : { acceptLanguage: language }),
    // A crawl meets the target as an address of its own, once.
    followsRedirects: crawl === undefined,
    wants: ({ contentType }) => htmlTypes.test(contentType),
  });
  if (crawl && answer.location !== undefined) return movedTo(answer.location, input.url, call);
  refuse(answer);
  if (!htmlTypes.test(answer.contentType)) {
    if (crawl) return dropped(answer.url, "type");
    throw new GatewayError(
      "upstream_error",
      `The URL answered with ${typeOf(answer)}, not with a page`,
    );
  }
  call.timeline?.stage("read");
  const { forms, found } = await parts.threads.run(
    {
      kind: "page",
      bytes: answer.bytes,
      contentType: answer.headers?.["content-type"] ?? answer.contentType,
      url: answer.url,
      status: answer.status,
      formats: input.formats,
      mainContentOnly: crawl?.rules.mainContentOnly ?? false,
      crawl: crawl && { ...crawl, robots, agent: siteAgent },
    },
    call.account,
    call.signal,
  );
  const isOld = crawl !== undefined && isUnchanged(answer, crawl.rules.modifiedSince);
  return {
    data: withinResultLimit({ url: answer.url, ...forms }) as DataOf<Fetch>,
    ...(found ? { found: isOld ? { ...found, drop: "unchanged" } : found } : {}),
  };
}

const typeOf = ({ contentType }: SiteAnswer) =>
  contentType === "" ? "data of no stated type" : contentType.slice(0, 100);

function isUnchanged({ headers }: SiteAnswer, since: string | undefined): boolean {
  const changed = Date.parse(headers?.["last-modified"] ?? "");
  return since !== undefined && changed < Date.parse(since);
}

function dropped(
  url: string,
  drop: NonNullable<CrawlFound["drop"]>,
  links: CrawlFound["links"] = [],
): Answer<DataOf<Fetch>> {
  return { data: { url }, found: { links, keys: [], drop } };
}

/** The text of the site's robots.txt, "" where it is not obeyed; undefined where it closes the page. */
async function robotsOf(
  { siteRules, threads, fetchSite }: FetchParts,
  url: string,
  call: Call,
): Promise<string | undefined> {
  if (!call.crawl?.rules.obeysRobots) return "";
  const robots = await siteRules.of(url, fetchSite, call.signal);
  if (robots === "") return "";
  const task = { kind: "allowed", url, robots, agent: siteAgent } as const;
  const { isAllowed } = await threads.run(task, call.account, call.signal);
  return isAllowed ? robots : undefined;
}

/** A redirect leads to one further address: as deep as this one, and as far along a row of the same form. */
function movedTo(location: string, from: string, call: Call): Answer<DataOf<Fetch>> {
  const { depth, run, rules } = call.crawl as NonNullable<Call["crawl"]>;
  const target = normalise(location, from);
  const scope = new Scope(rules);
  const isHere = target !== undefined && scope.isHere(target);
  if (!isHere && depth === 0 && normalise(rules.start) === from) {
    throw new GatewayError(
      "upstream_error",
      `The start redirects to ${(target ?? location).slice(0, 500)}, which is another site: begin there`,
    );
  }
  const isFollowed = isHere && scope.admits(target) && run < mostRun;
  return dropped(from, "scope", isFollowed ? [[target, 0, depth, run + 1]] : []);
}

function refuse({ status, headers }: SiteAnswer): void {
  if (status >= 200 && status < 300) return;
  if (status === 404 || status === 410) {
    throw new GatewayError("not_found", `The site answered ${status}: the page does not exist`);
  }
  const message = `The site answered with status ${status}`;
  if (status === 429 || status >= 500) {
    const seconds = Number(headers?.["retry-after"] ?? Number.NaN);
    const retryAfter = seconds > 0 ? Math.min(60, Math.ceil(seconds)) : 5;
    throw new GatewayError("upstream_unavailable", message, { retryAfter });
  }
  throw new GatewayError("upstream_error", message);
}
