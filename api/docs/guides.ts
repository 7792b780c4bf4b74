import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/**
 * Guides for callers, from the documents of the repository: without their parts below the heading "For
 * operators", and with links to served pages.
 */

interface Guide {
  /** The last part of its address. */
  name: string;
  title: string;
  summary: string;
  /** From the root of the project. */
  file: string;
}

export const guides: readonly Guide[] = [
  {
    name: "budgets",
    title: "Credits and budgets",
    summary: "What a call costs before it runs, a cap on it, and what is left",
    file: "docs/budgets.md",
  },
  {
    name: "errors",
    title: "Errors",
    summary: "The ten types, what to do about each, and how to force them in test mode",
    file: "docs/errors.md",
  },
  {
    name: "retries",
    title: "Retries",
    summary: "Idempotency-Key, Retry-After, and what is worth a retry",
    file: "docs/retries.md",
  },
  {
    name: "jobs",
    title: "Jobs",
    summary: "Calls without waiting: submit, follow, fetch the answer later, stop",
    file: "docs/jobs.md",
  },
  {
    name: "batches",
    title: "Batches",
    summary: "Up to 10,000 calls at once, their progress and results",
    file: "docs/batches.md",
  },
  {
    name: "crawl",
    title: "Crawls",
    summary: "A whole site as Markdown, page by page: what is crawled, followed and resumed",
    file: "docs/crawl.md",
  },
  {
    name: "webhooks",
    title: "Webhooks",
    summary: "Signed notifications of ended jobs and batches and of low balances",
    file: "docs/webhooks.md",
  },
  {
    name: "mcp",
    title: "Tools for agents (MCP)",
    summary: "What to paste where in Claude Code, Claude Desktop, Cursor, VS Code and others",
    file: "docs/mcp.md",
  },
  {
    name: "client",
    title: "Client for TypeScript",
    summary:
      "Installed from this gateway: every operation typed, with paging, retries and deadlines",
    file: "client/README.md",
  },
  {
    name: "markdown",
    title: "Markdown of a page",
    summary: "What the Markdown of a rendered page contains and leaves out",
    file: "docs/markdown.md",
  },
];

const root = join(import.meta.dirname, "..", "..");
const served = new Map([
  ...guides.map(({ file, name }) => [file, `/docs/${name}`] as const),
  ["api/docs/start.md", "/docs"] as const,
]);

export function guideText({ file }: Pick<Guide, "file">): string {
  const whole = readFileSync(join(root, file), "utf8");
  const [forCallers = ""] = whole.split("\n## For operators\n");
  return `${withServedLinks(forCallers, file).trimEnd()}\n`;
}

/** A link to a document that is not served becomes plain text. */
function withServedLinks(text: string, file: string): string {
  return text.replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, name: string, target: string) => {
    if (/^(?:[a-z]+:|\/|#)/.test(target)) return whole;
    const [path = "", anchor] = target.split("#");
    const address = served.get(normalize(join(dirname(file), path)));
    if (address === undefined) return name;
    return `[${name}](${address}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}
