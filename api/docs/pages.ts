import { readFileSync } from "node:fs";
import { evidenceOf, recordingsOf } from "../../contract/evidence.ts";
import { priceOfEach } from "../../contract/pricing.ts";
import { type Area, type Operation, pathParameters } from "../../contract/operation.ts";
import { sourcesInWords } from "../../contract/source.ts";
import { shownAnswer, shownEnvelope } from "../openapi/answers.ts";
import { fieldsOf, membersOf } from "../describe.ts";
import { examplesOf } from "./examples.ts";

/** A page as Markdown, from which its HTML is rendered. */
export interface Page {
  /** The last part of its address; "" for the start page. */
  name: string;
  title: string;
  summary: string;
  /** Rendered on request, because most pages are never read. `evidence` is that of this installation. */
  markdown(evidence?: string): string;
  /** The operation of the page. */
  operation?: Operation | undefined;
}

/** The start page, a page per area and a page per operation, derived from the contract. */
export function pagesOf(areas: readonly Area[]): Page[] {
  const start = readFileSync(new URL("start.md", import.meta.url), "utf8");
  return [
    {
      name: "",
      title: "Public-Data Gateway",
      summary: "Keys, a first call, credits, pages, errors, test mode, limits, versions",
      markdown: () =>
        `${start}\n## Operations\n\n${listOf(areas.map(({ name, summary }) => [name, name, summary]))}`,
    },
    ...areas.flatMap((area) => [areaPage(area), ...area.operations.map((op) => operationPage(op))]),
  ];
}

/** The index for programs that read these pages (llmstxt.org). */
export function llmsText(pages: readonly Page[]): string {
  const lines = pages.map(
    ({ name, title, summary }) => `- [${title}](/docs/${name || "index"}.md): ${summary}`,
  );
  return [
    "# Public-Data Gateway",
    "",
    "> Public data of many providers behind one key and one form of answer. Every operation costs one credit per record; errors are free.",
    "",
    "The whole contract is at /openapi.json, one area of it at /openapi.json?area=NAME; tools for agents are at /mcp.",
    "",
    "## Pages",
    "",
    ...lines,
    "",
  ].join("\n");
}

const listOf = (entries: readonly (readonly [name: string, title: string, summary: string])[]) =>
  entries.map(([name, title, summary]) => `- [${title}](/docs/${name}): ${summary}\n`).join("");

function areaPage({ name, summary, operations }: Area): Page {
  const list = listOf(operations.map((op) => [op.id, op.id, op.summary]));
  const markdown = `# ${name}\n\n${summary}.\n\n${list}\nThe contract of this area alone: [openapi.json](/openapi.json?area=${name}).\n`;
  return { name, title: name, summary, markdown: () => markdown };
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

function operationPage(op: Operation): Page {
  return {
    name: op.id,
    title: op.id,
    summary: op.summary,
    markdown: (evidence) => textOf(op, evidence),
    operation: op,
  };
}

function evidenceText(op: Operation, evidence: string): string {
  const all = Map.groupBy(recordingsOf(op), ({ address, date }) => `${address} ${date}`);
  const each = [...all.values()].map(
    ([one]) => `\`${one?.address.replace("https://", "")}\` (${one?.date})`,
  );
  const from = each.length > 0 ? `, kept in ${each.join(", ")}` : "";
  const own = evidenceOf(op);
  const live = evidence === own ? "" : `${evidence} in this installation; `;
  return `**Evidence**: ${live}${own}${from}.`;
}

function textOf(op: Operation, evidence = evidenceOf(op)): string {
  const shown = shownAnswer(op);
  const inPath = new Set(pathParameters(op.path));
  const rest = op.method === "POST" ? "body" : "query";
  const fields = fieldsOf(op).map(({ name, required, type, bounds, defaultValue, description }) => [
    `\`${name}\``,
    inPath.has(name) ? "path" : rest,
    `${type}${bounds ? `, ${bounds}` : ""}`,
    required ? "required" : (defaultValue ?? ""),
    description,
  ]);
  const members = membersOf(op).map(({ name, type, description }) => [
    `\`${name}\``,
    type,
    description,
  ]);
  const { curl, typescript, python } = examplesOf(op);
  const sources = sourcesInWords(op.sources);
  const parts = [
    `# ${op.id}`,
    `${op.summary}.`,
    ...(op.description ? [op.description] : []),
    ...(sources ? [sources] : []),
    `\`${op.method} ${op.path}\``,
    `**Price**: ${priceOfEach(op)}. **Area**: [${op.area}](/docs/${op.area}). **Try it**: [with your key](/docs/try#/${op.area}/${op.id}).`,
    evidenceText(op, evidence),
    "## Request",
    fields.length > 0
      ? table(["field", "in", "type", "default", "meaning"], fields)
      : "It takes no field.",
    ...(op.paginated
      ? [
          "`pagination.next_cursor` of an answer is the `cursor` of the next page, `null` at the end.",
        ]
      : []),
    "## Code",
    block("sh", curl),
    block("ts", typescript),
    block("python", python),
    "## Answer",
    ...(shown
      ? [
          "Sample data, shortened:",
          block("json", JSON.stringify(shownEnvelope(op, shown), null, 2)),
        ]
      : []),
    table(["member of data", "type", "meaning"], members),
    "Errors are those of [every operation](/docs#errors-and-what-to-do).",
  ];
  return `${parts.join("\n\n")}\n`;
}
