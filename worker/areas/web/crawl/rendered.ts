import { createHash } from "node:crypto";
import type { web as area } from "../../../../contract/areas/web/index.ts";
import type { DataOf, InputOf } from "../../../../contract/operation.ts";
import type { CrawlTask } from "../../../../runtime/crawl.ts";
import type { Answer, Call } from "../../../connector.ts";
import { siteAgent } from "../../../transport/site.ts";
import type { FetchParts } from "./fetch-parts.ts";
import { normalise } from "./address.ts";
import { Scope } from "./scope.ts";

type Snapshot = Extract<(typeof area.operations)[number], { id: "web.snapshot" }>;
type Render = (input: InputOf<Snapshot>) => Promise<{ data: DataOf<Snapshot> }>;

/** Renders a page of a crawl: reads its links and its own address too, and returns only the requested forms. */
export async function renderedPage(
  { threads, siteRules, fetchSite }: FetchParts,
  input: InputOf<Snapshot>,
  crawl: CrawlTask,
  call: Call,
  render: Render,
): Promise<Answer<DataOf<Snapshot>>> {
  const { rules } = crawl;
  const robots = rules.obeysRobots ? await siteRules.of(input.url, fetchSite, call.signal) : "";
  if (robots !== "") {
    const task = { kind: "allowed", url: input.url, robots, agent: siteAgent } as const;
    const { isAllowed } = await threads.run(task, call.account, call.signal);
    if (!isAllowed)
      return { data: { url: input.url }, found: { links: [], keys: [], drop: "robots" } };
  }
  const wanted = new Set<string>(input.formats);
  const more = rules.mainContentOnly ? (["main_content"] as const) : [];
  const formats = [
    ...new Set([...input.formats, ...more, "links", "metadata", "markdown"] as const),
  ];
  const { data } = await render({ ...input, formats });
  const { links = [], metadata, markdown = "", ...rest } = data;
  const own = normalise(data.url);
  if (own === undefined || !new Scope(rules).isHere(own)) {
    return { data: { url: data.url }, found: { links: [], keys: [], drop: "scope" } };
  }
  const isClosed = rules.obeysRobots && /\b(?:nofollow|none)\b/i.test(metadata?.robots ?? "");
  const content = markdown === "" ? "" : `${metadata?.title ?? ""}\n${markdown}`;
  const found = await threads.run(
    {
      kind: "links",
      url: data.url,
      links: isClosed ? [] : links,
      canonical: metadata?.canonical_url,
      content:
        content.length < 100
          ? content
          : createHash("sha256").update(content).digest("hex").repeat(2),
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
