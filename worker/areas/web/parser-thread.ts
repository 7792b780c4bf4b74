import { parentPort } from "node:worker_threads";
import { parseFeed } from "feedsmith";
import robotsModule from "robots-parser";
import { readMicroformats } from "./microformats.ts";
import { stepBack } from "../../thread-priority.ts";
import type { FeedTask, FileTask, RobotsRules, RobotsTask, Task } from "./parser.ts";
import { tidyRobots } from "./robots-text.ts";
import { FileTooLarge, readSiteFile } from "./site-file.ts";
import { type FileParts, Parts } from "./site-parts.ts";

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

async function file({ wanted, part, ...task }: FileTask): Promise<FileParts> {
  const parts = new Parts(part);
  const take = wanted ? parts.taking(wanted) : parts.take;
  try {
    const { kind, files } = await readSiteFile(task, take, task);
    return { kind, files, parts: parts.all(), count: parts.count, isCut: parts.isCut };
  } catch (error) {
    const problem = error instanceof FileTooLarge ? "large" : "broken";
    return { kind: "other", files: [], parts: [], count: 0, isCut: false, problem };
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

async function answer(task: Task): Promise<void> {
  parentPort?.postMessage({ result: await resultOf(task) });
}

stepBack();
parentPort?.on("message", (task: Task) => void answer(task));
