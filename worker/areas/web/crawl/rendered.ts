import type { web as area } from "../../../../contract/areas/web/index.ts";
import type { DataOf, InputOf } from "../../../../contract/operation.ts";
import type { CrawlFound, CrawlTask } from "../../../../runtime/crawl.ts";
import { fileInsteadOfPage, refusalInsteadOfPage } from "../../../browser/chromium/failure.ts";
import type { Answer, Call } from "../../../connector.ts";
import { htmlTypes } from "../../../transport/media-type.ts";
import { siteAgent } from "../../../transport/site.ts";
import { contentName, documentPage, hasDocumentForm } from "./documents.ts";
import type { FetchParts } from "./fetch-parts.ts";
import { normalise } from "./address.ts";
import { refuse } from "./refusal.ts";
import { refuseStart } from "./redirects.ts";
import { robotsOf } from "./robots-of.ts";
import { closesLinks } from "./robots-tag.ts";
import { Scope } from "./scope.ts";
import type { Followed } from "../snapshot.ts";

type Snapshot = Extract<(typeof area.operations)[number], { id: "web.snapshot" }>;
type Render = (
  input: InputOf<Snapshot>,
  note: (followed: Followed) => void,
) => Promise<{ data: DataOf<Snapshot> }>;

/** Renders a page of a crawl: reads its links and its own address too, and returns only the requested forms. */
export async function renderedPage(
  parts: FetchParts,
  input: InputOf<Snapshot>,
  crawl: CrawlTask,
  call: Call,
  render: Render,
): Promise<Answer<DataOf<Snapshot>>> {
  const { threads, fetchSite, documents } = parts;
  const { rules } = crawl;
  let robots = await robotsOf(parts, input.url, crawl, call);
  if (robots === undefined) return dropped(input.url, "robots");
  const wanted = new Set<string>(input.formats);
  const more = rules.mainContentOnly ? (["main_content"] as const) : [];
  const formats = [
    ...new Set([...input.formats, ...more, "links", "metadata", "markdown"] as const),
  ];
  let followed: Followed = { links: [], robotsTag: "" };
  const note = (found: Followed) => {
    followed = found;
  };
  const page = await render({ ...input, formats }, note).catch(async (error: unknown) => {
    const refusal = refusalInsteadOfPage(error);
    // A status that passes is tried again, as where the page is read without a browser.
    if (refusal) refuse(refusal, call);
    const url = fileInsteadOfPage(error);
    if (url === undefined) throw error;
    if (!hasDocumentForm(input.formats)) return undefined;
    const { answer, read } = await documents.fetch(fetchSite, url, call);
    if (read) return { answer, read };
    // A page that is sent as a download is none that a browser shows.
    if (answer.location !== undefined || htmlTypes.test(answer.contentType)) throw error;
    return undefined;
  });
  if (!page) return dropped(input.url, "type");
  const address = "read" in page ? page.answer.url : page.data.url;
  const own = normalise(address);
  if (own === undefined || !new Scope(rules).isHere(own)) {
    refuseStart(address, input.url, crawl);
    return dropped(address, "scope");
  }
  if (own !== input.url) {
    robots = await robotsOf(parts, own, crawl, call);
    if (robots === undefined) return dropped(address, "robots");
  }
  if ("read" in page) {
    return documentPage({ threads }, page, { formats: input.formats, crawl, robots }, call);
  }
  const { data } = page;
  const { links = [], metadata, markdown = "", ...rest } = data;
  const type = metadata?.content_type ?? "";
  // A document whose answer was not seen, such as one that a script wrote, has no type and is a page.
  if (type !== "" && !htmlTypes.test(type)) return dropped(address, "type");
  const directives = `${metadata?.robots ?? ""}\n${followed.robotsTag}`;
  const open = closesLinks(directives, siteAgent) ? [] : followed.links;
  const content = markdown === "" ? "" : `${metadata?.title ?? ""}\n${markdown}`;
  const found = await threads.run(
    {
      kind: "links",
      url: data.url,
      links: rules.obeysRobots ? open : [...links, ...followed.links],
      canonical: metadata?.canonical_url,
      content: contentName(content),
      crawl: { ...crawl, robots, agent: siteAgent },
    },
    call.account,
    call.signal,
  );
  const { main_content: main, ...others } = rest;
  const shown: DataOf<Snapshot> = {
    ...others,
    ...(wanted.has("links") ? { links } : {}),
    ...(wanted.has("metadata") ? { metadata } : {}),
    ...(wanted.has("markdown")
      ? { markdown: rules.mainContentOnly ? (main ?? markdown) : markdown }
      : {}),
    ...(wanted.has("main_content") ? { main_content: main } : {}),
  };
  return { data: shown, found };
}

const dropped = (url: string, drop: NonNullable<CrawlFound["drop"]>): Answer<DataOf<Snapshot>> => ({
  data: { url },
  found: { links: [], keys: [], drop },
});
