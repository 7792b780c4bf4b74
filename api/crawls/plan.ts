import type { CrawlInput } from "../../contract/crawls.ts";
import { GatewayError } from "../../contract/errors.ts";
import type { CrawlRules } from "../../runtime/crawl.ts";
import type { ItemTemplate, NewCrawl } from "../../db/crawls.ts";
import type { BatchOperations, Common } from "../batches/item.ts";

/** The plan of a requested crawl: its rules, and its items without their address. */
export function planOf(
  input: CrawlInput,
  operations: BatchOperations,
  common: Common,
  cursorSecret: string,
): NewCrawl {
  const { url, render } = input;
  const template = (operation: string, fields: Record<string, unknown>): ItemTemplate => {
    const call = operations.callOf(operation, "", { ...fields, url }, common, cursorSecret);
    const { op } = call;
    return {
      operation,
      pool: op.pool,
      input: fields,
      minimum: op.minimum,
      most: call.most,
      lasts_ms: call.deadline - common.arrivedAt,
    };
  };
  const { origin, host } = new URL(url);
  const language = input.accept_language;
  const fields = {
    formats: input.formats,
    ...(language === undefined ? {} : { accept_language: language }),
    ...(input.selectors.length > 0 ? { selectors: input.selectors } : {}),
  };
  return {
    url,
    site: host.replace(/^www\./, ""),
    rules: rulesOf(input),
    page: template(render ? "web.snapshot" : "web.fetch", fields),
    file: template("web.fetch", {}),
    limit: input.limit,
    atOnce: input.max_concurrency,
    first: `${origin}/robots.txt`,
  };
}

const rulesOf = (input: CrawlInput): CrawlRules => ({
  start: input.url,
  scope: input.scope,
  source: input.source,
  include: input.include,
  exclude: input.exclude,
  maxDepth: input.max_depth,
  ...(input.modified_since === undefined ? {} : { modifiedSince: input.modified_since }),
  obeysRobots: input.respect_robots,
  skipsDuplicates: input.skip_duplicates,
  mainContentOnly: input.main_content_only,
});

export function mustRespectRobots(): GatewayError {
  const message =
    "respect_robots: the operator of the gateway does not let this account ignore robots.txt";
  return new GatewayError("validation_error", message, {
    issues: [{ in: "body", path: "respect_robots", code: "not_allowed", message }],
  });
}
