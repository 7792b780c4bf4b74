import type { web as area } from "../../../contract/areas/web/index.ts";
import type { DataOf, InputOf } from "../../../contract/operation.ts";
import type { Call } from "../../connector.ts";
import type { FetchSite } from "../../transport/site.ts";
import type { Parsers } from "./parser.ts";

type Robots = Extract<(typeof area.operations)[number], { id: "web.robots" }>;

const mostBytes = 5_000_000;
/** RFC 9309 has crawlers read 500 KiB at least; rules beyond do not count, as for the large search engines. */
const mostRead = 500 * 1024;

/** Whether the site lets an agent fetch an address, by RFC 9309. */
export async function robots(
  fetchSite: FetchSite,
  parsers: Parsers,
  input: InputOf<Robots>,
  call: Pick<Call, "account" | "signal" | "timeline">,
): Promise<{ data: DataOf<Robots> }> {
  const target = new URL(input.url);
  const robotsUrl = `${target.origin}/robots.txt`;
  call.timeline?.stage("read");
  const answer = await fetchSite({
    url: robotsUrl,
    signal: call.signal,
    mostBytes,
    accept: "text/plain, */*;q=0.5",
  });
  const stated = {
    url: input.url,
    agent: input.agent,
    robots_url: answer.url,
    status: answer.status,
  };
  const isFine = answer.status >= 200 && answer.status < 300;
  if (!isFine) {
    // A site that asks for fewer requests, or whose server fails, has not said that it may be fetched.
    const isClosed = answer.status === 429 || answer.status < 400 || answer.status >= 500;
    return {
      data: {
        ...stated,
        is_allowed: !isClosed,
        reason: isClosed ? "unreachable" : "no_file",
        sitemaps: [],
      },
    };
  }
  const text = answer.bytes.toString("utf8", 0, mostRead).replace(/^\uFEFF/, "");
  const task = { kind: "robots", url: input.url, robotsUrl, agent: input.agent, text } as const;
  const rules = await parsers.run(task, call.account, call.signal);
  // The file itself may always be fetched.
  const line = target.pathname === "/robots.txt" ? undefined : rules.line;
  const isAllowed = line === undefined || rules.isAllowed;
  const reason = isAllowed ? "allowed_by_rule" : "disallowed_by_rule";
  const delay = rules.crawlDelay;
  return {
    data: {
      ...stated,
      is_allowed: isAllowed,
      reason: line === undefined ? "no_rule" : reason,
      ...(line === undefined ? {} : { rule: { line, text: lineOf(text, line) } }),
      ...(delay !== undefined && delay >= 0 && Number.isFinite(delay)
        ? { crawl_delay_seconds: delay }
        : {}),
      sitemaps: rules.sitemaps,
    },
  };
}

const lineOf = (text: string, line: number) =>
  (text.split(/\r\n|\r|\n/)[line - 1] ?? "").trim().slice(0, 2000);
