import { parentPort } from "node:worker_threads";
import { parseFeed } from "feedsmith";
import robotsModule from "robots-parser";
import { readMicroformats } from "./microformats.ts";
import type { FeedTask, FileTask, RobotsRules, RobotsTask, Task } from "./parser.ts";
import { tidyRobots } from "./robots-text.ts";
import { readSiteFile, type SiteFile } from "./site-file.ts";

// The package's types describe an ES module, and its code is CommonJS that exports the function itself.
const robotsParser = robotsModule as unknown as typeof robotsModule.default;

function robots({ url, robotsUrl, agent, text }: RobotsTask): RobotsRules {
  const rules = robotsParser(robotsUrl, tidyRobots(text));
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

function file({ bytes, contentType, ...options }: FileTask): SiteFile {
  try {
    return readSiteFile(bytes, contentType, options);
  } catch {
    // A packed file that is broken or unpacks to more than the limit has nothing to say.
    return { kind: "other", entries: [], files: [] };
  }
}

function resultOf(task: Task): unknown {
  switch (task.kind) {
    case "robots":
      return robots(task);
    case "feed":
      return feed(task);
    case "file":
      return file(task);
    case "microformats":
      return readMicroformats(task.html, task.url);
  }
}

parentPort?.on("message", (task: Task) => parentPort?.postMessage({ result: resultOf(task) }));
