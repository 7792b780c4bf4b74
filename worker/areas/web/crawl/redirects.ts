import { GatewayError } from "../../../../contract/errors.ts";
import type { CrawlLink, CrawlTask } from "../../../../runtime/crawl.ts";
import type { Call } from "../../../connector.ts";
import type { SiteAnswer, SiteRequest } from "../../../transport/site.ts";
import { mostRun, normalise } from "./address.ts";
import type { FetchParts } from "./fetch-parts.ts";
import { robotsOf } from "./robots-of.ts";
import { Scope } from "./scope.ts";

/**
 * Which redirects an item follows itself. A crawl meets their targets as addresses of their own, once; only what would
 * be lost so is followed: a target that needs the cookies of the answers before, and one that no pattern admits, which
 * may lead back.
 */
export function followsIn(
  parts: FetchParts,
  crawl: CrawlTask,
  call: Call,
): NonNullable<SiteRequest["follows"]> {
  const scope = new Scope(crawl.rules);
  return async (location, hasCookies) => {
    const target = normalise(location);
    if (target === undefined || !scope.mayBePage(target)) return false;
    if (!hasCookies && scope.matches(target)) return false;
    return (await robotsOf(parts, target, crawl, call)) !== undefined;
  };
}

/** The further address of an answer that redirects: as deep as its item, and as far along a row of the same form. */
export function linksAfter(
  { url, location = "" }: SiteAnswer,
  item: string,
  crawl: CrawlTask,
): CrawlLink[] {
  const { depth, run, rules } = crawl;
  const scope = new Scope(rules);
  const target = normalise(location, url);
  if (target === undefined || !scope.isHere(target)) refuseStart(target ?? location, item, crawl);
  const isFollowed = target !== undefined && scope.admits(target) && run < mostRun;
  return isFollowed ? [[target, 0, depth, run + 1]] : [];
}

/** Throws GatewayError where the item is the start: without it there is no crawl. */
export function refuseStart(target: string, item: string, { depth, rules }: CrawlTask): void {
  if (depth > 0 || normalise(rules.start) !== item) return;
  throw new GatewayError(
    "upstream_error",
    `The start redirects to ${target.slice(0, 500)}, which is another site: begin there`,
  );
}
