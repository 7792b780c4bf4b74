import type { CrawlTask } from "../../../../runtime/crawl.ts";
import type { Call } from "../../../connector.ts";
import { siteAgent } from "../../../transport/site.ts";
import type { FetchParts } from "./fetch-parts.ts";

/** The text of the site's robots.txt, "" where it is not obeyed; undefined where it closes the page. */
export async function robotsOf(
  { siteRules, threads, fetchSite }: Pick<FetchParts, "siteRules" | "threads" | "fetchSite">,
  url: string,
  { rules }: CrawlTask,
  { account, signal }: Call,
): Promise<string | undefined> {
  if (!rules.obeysRobots) return "";
  const robots = await siteRules.of(url, fetchSite, signal);
  if (robots === "") return "";
  const task = { kind: "allowed", url, robots, agent: siteAgent } as const;
  const { isAllowed } = await threads.run(task, account, signal);
  return isAllowed ? robots : undefined;
}
