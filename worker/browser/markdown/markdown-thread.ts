import { parentPort } from "node:worker_threads";
import { convert } from "./convert.ts";
import type { MarkdownTask } from "./markdown.ts";

parentPort?.on("message", (task: MarkdownTask) => parentPort?.postMessage(convert(task)));
