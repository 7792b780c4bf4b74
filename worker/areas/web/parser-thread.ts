import { parentPort } from "node:worker_threads";
import { readFeedText } from "./feed-parser.ts";
import { readMicroformats } from "./microformats.ts";
import { stepBack } from "../../thread-priority.ts";
import type { FeedTask, FileTask, RobotsAnswer, RobotsTask, Task } from "./parser.ts";
import { RobotsRules } from "./robots-text.ts";
import { FileTooLarge, readSiteFile } from "./site-file.ts";
import { type FileParts, Parts } from "./site-parts.ts";

function robots({ url, robotsUrl, agent, text }: RobotsTask): RobotsAnswer {
  const rules = new RobotsRules(robotsUrl, text);
  return {
    isAllowed: rules.isAllowed(url, agent),
    line: rules.lineFor(url, agent),
    crawlDelay: rules.delayFor(agent),
    sitemaps: rules.sitemaps(1000),
  };
}

const feed = ({ text, most }: FeedTask): unknown => readFeedText(text, most)?.parsed;

async function file({ wanted, part, ...task }: FileTask): Promise<FileParts> {
  const parts = new Parts(part);
  const take = wanted ? parts.taking(wanted) : parts.take;
  try {
    const read = await readSiteFile(task, take, task);
    return { ...read, parts: parts.all(), count: parts.count, isCut: parts.isCut };
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
