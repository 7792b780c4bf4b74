import type { web as area } from "../../../contract/areas/web/index.ts";
import { GatewayError, invalid } from "../../../contract/errors.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import type { CrawlFound, CrawlTask } from "../../../runtime/crawl.ts";
import { pageTooLarge } from "../../browser/chromium/failure.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import type { Answer, Call } from "../../connector.ts";
import type { SiteAnswer } from "../../transport/site.ts";
import { htmlTypes } from "../../transport/media-type.ts";
import { fullTypeOf, siteAgent } from "../../transport/site.ts";
import { isDocumentName } from "./crawl/address.ts";
import { documentPage, hasDocumentForm, isDocument } from "./crawl/documents.ts";
import type { FetchParts } from "./crawl/fetch-parts.ts";
import { followsIn, linksAfter } from "./crawl/redirects.ts";
import { refuse } from "./crawl/refusal.ts";
import { robotsOf } from "./crawl/robots-of.ts";
import { readFile } from "./crawl/site-files.ts";
import type { ExtractRefusal } from "./plain-extract.ts";

type Fetch = Extract<(typeof area.operations)[number], { id: "web.fetch" }>;

/** Larger pages are a fault of the site, or none that anybody reads. */
const mostBytes = 10_000_000;

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
  const robots = crawl ? await robotsOf(parts, input.url, crawl, call) : "";
  if (robots === undefined) return dropped(input.url, "robots");
  if (crawl && isDocumentName(input.url)) {
    return documentOf(parts, input, { ...call, crawl, robots });
  }
  const answer = await load(parts, input, call);
  if (crawl && isDocument(answer)) {
    return documentOf(parts, input, { ...call, crawl, robots }, answer);
  }
  return pageOf(parts, input, { ...call, robots }, answer);
}

/** The answer of the site. Of a crawl's answer that is no page, only the headers are read. */
function load(parts: FetchParts, input: InputOf<Fetch>, call: Call): Promise<SiteAnswer> {
  call.timeline?.stage("load");
  const { accept_language: language } = input;
  return parts.fetchSite({
    url: input.url,
    signal: call.signal,
    mostBytes,
    accept: "text/html,application/xhtml+xml,*/*;q=0.5",
    ...(language === undefined ? {} : { acceptLanguage: language }),
    follows: call.crawl && followsIn(parts, call.crawl, call),
    wants: ({ contentType }) => htmlTypes.test(contentType),
  });
}

type Read = Call & { robots: string };

async function pageOf(
  parts: FetchParts,
  input: InputOf<Fetch>,
  call: Read,
  answer: SiteAnswer,
): Promise<Answer<DataOf<Fetch>>> {
  const { crawl, robots } = call;
  if (crawl && answer.location !== undefined) {
    return dropped(input.url, "scope", linksAfter(answer, input.url, crawl));
  }
  refuse(answer, call);
  if (!htmlTypes.test(answer.contentType)) {
    if (crawl) return dropped(answer.url, "type");
    throw new GatewayError(
      "upstream_error",
      `The URL answered with ${typeOf(answer)}, not with a page`,
    );
  }
  call.timeline?.stage("read");
  const { forms, found, refusal } = await parts.threads.run(
    {
      kind: "page",
      bytes: answer.bytes,
      contentType: fullTypeOf(answer),
      url: answer.url,
      status: answer.status,
      robotsTag: String(answer.headers?.["x-robots-tag"] ?? ""),
      formats: input.formats,
      extract: { selectors: input.selectors, include_source: input.include_source },
      mainContentOnly: crawl?.rules.mainContentOnly ?? false,
      crawl: crawl && { ...crawl, robots, agent: siteAgent },
    },
    call.account,
    call.signal,
  );
  if (refusal) throw refused(refusal);
  const isOld = crawl !== undefined && isUnchanged(answer, crawl.rules.modifiedSince);
  return {
    data: withinResultLimit({ url: answer.url, ...forms }) as DataOf<Fetch>,
    ...(found ? { found: isOld ? { ...found, drop: "unchanged" } : found } : {}),
  };
}

/** A PDF or office document of a crawl. `answer` has its headers, where the address alone did not name it. */
async function documentOf(
  parts: FetchParts,
  input: InputOf<Fetch>,
  call: Read & { crawl: CrawlTask },
  answer?: SiteAnswer,
): Promise<Answer<DataOf<Fetch>>> {
  const { crawl, robots } = call;
  const since = crawl.rules.modifiedSince;
  if (answer && isUnchanged(answer, since)) return dropped(input.url, "unchanged");
  if (!hasDocumentForm(input.formats)) return dropped(input.url, "type");
  const whole = await parts.documents.fetch(
    parts.fetchSite,
    input.url,
    call,
    followsIn(parts, crawl, call),
  );
  if (isUnchanged(whole.answer, since)) return dropped(input.url, "unchanged");
  const { read } = whole;
  if (read) {
    const options = { formats: input.formats, crawl, robots };
    return documentPage(parts, { answer: whole.answer, read }, options, call);
  }
  // An address that ends like a document may have a page.
  const isLarge = whole.answer.bytes.length > mostBytes;
  return isLarge ? dropped(input.url, "type") : pageOf(parts, input, call, whole.answer);
}

function refused(refusal: ExtractRefusal): GatewayError {
  if (refusal === "values") return pageTooLarge("values of selectors");
  const field = `selectors[${refusal.selector}].selector`;
  return invalid("body", field, "invalid_selector", "must be a valid CSS selector");
}

const typeOf = ({ contentType, status }: SiteAnswer) =>
  status === 204 || status === 205
    ? "no content"
    : contentType === ""
      ? "data of no stated type"
      : contentType.slice(0, 100);

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
