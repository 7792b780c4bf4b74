import type { web as area } from "../../../contract/areas/web/index.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import { withinResultLimit } from "../../browser/page/result-limit.ts";
import { xmlDecoder } from "../../browser/plain/charset.ts";
import type { Call } from "../../connector.ts";
import { type FetchSite, fullTypeOf, type SiteAnswer } from "../../transport/site.ts";
import { feedOf } from "./feed.map.ts";
import type { Parsers } from "./parser.ts";

type Feed = Extract<(typeof area.operations)[number], { id: "web.feed" }>;

const mostBytes = 10_000_000;

/** Reads a feed: RSS, RDF, Atom or JSON Feed. */
export async function feed(
  fetchSite: FetchSite,
  parsers: Parsers,
  input: InputOf<Feed>,
  call: Call,
): Promise<{ data: DataOf<Feed> }> {
  call.timeline?.stage("read");
  const answer = await fetchSite({
    url: input.url,
    signal: call.signal,
    mostBytes,
    accept:
      "application/rss+xml, application/atom+xml, application/feed+json, application/xml;q=0.9, */*;q=0.5",
  });
  if (answer.status === 404 || answer.status === 410) {
    throw new GatewayError("not_found", `The site answered ${answer.status}: there is no feed`);
  }
  if (answer.status < 200 || answer.status >= 300) {
    throw new GatewayError("upstream_error", `The site answered with status ${answer.status}`);
  }
  const task = { kind: "feed", text: textOf(answer), most: input.limit } as const;
  const parsed = await parsers.run(task, call.account, call.signal);
  const data = parsed === undefined ? undefined : feedOf(parsed, answer.url);
  if (!data)
    throw new GatewayError("upstream_error", "The URL answered with something that is no feed");
  return { data: withinResultLimit(data) };
}

/** JSON is UTF-8 whatever its Content-Type states (RFC 8259). */
function textOf(answer: SiteAnswer): string {
  const stated = /json/.test(answer.contentType) ? "" : fullTypeOf(answer);
  return xmlDecoder(answer.bytes, stated).decode(answer.bytes);
}
