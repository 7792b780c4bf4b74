import { parentPort } from "node:worker_threads";
import { parseFeed } from "feedsmith";
import robotsModule from "robots-parser";
import type { FeedTask, RobotsRules, RobotsTask } from "./parser.ts";

// The package's types describe an ES module, and its code is CommonJS that exports the function itself.
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

function robots({ url, robotsUrl, agent, text }: RobotsTask): RobotsRules {
  const rules = robotsParser(robotsUrl, text);
  const line = rules.getMatchingLineNumber(url, agent);
  return {
    isAllowed: rules.isAllowed(url, agent) ?? true,
    line: line > 0 ? line : undefined,
    crawlDelay: rules.getCrawlDelay(agent),
    sitemaps: rules.getSitemaps().slice(0, 1000),
  };
}

function feed({ text, most }: FeedTask): unknown {
  try {
    return parseFeed(text, { maxItems: most });
  } catch {
    // The parser says by an error that a text is no feed.
    return undefined;
  }
}

parentPort?.on("message", (task: RobotsTask | FeedTask) => {
  parentPort?.postMessage({ result: task.kind === "robots" ? robots(task) : feed(task) });
});
