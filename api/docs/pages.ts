import { readFileSync } from "node:fs";
import { crawlOperations } from "../../contract/crawl-operations.ts";
import { crawlsEndpoints } from "../../contract/crawls.ts";
import { evidenceOf, recordingsOf } from "../../contract/evidence.ts";
import { priceOfEach } from "../../contract/pricing.ts";
import { type Area, type Operation, pathParameters } from "../../contract/operation.ts";
import { sourcesInWords } from "../../contract/source.ts";
import { shownAnswer, shownEnvelope } from "../openapi/answers.ts";
import { fieldsOf, membersOf } from "../describe.ts";
import { type Here, availabilityText } from "./availability.ts";
import { examplesOf } from "./examples.ts";
import { guideText, guides } from "./guides.ts";

/** A part of a page, in Markdown. */
export interface Part {
  markdown: string;
  /** Code, which a wide screen shows beside the other parts. */
  isCode?: true;
}

/** A page as Markdown, from which its HTML is rendered. */
export interface Page {
  /** The last part of its address; "" for the start page. */
  name: string;
  kind: "start" | "guide" | "area" | "operation";
  title: string;
  summary: string;
  /** The request that the page can send, on the page of an operation. */
  op?: Operation;
  /** Changes when the page does; everything else about it is fixed. */
  state(here: Here): string;
  /** Rendered on request, because most pages are never read. */
  parts(here: Here): Part[];
}

export const markdownOf = (page: Page, here: Here): string =>
  page
    .parts(here)
    .map(({ markdown }) => markdown)
    .join("\n");

/** The start page, the guides, and a page per area and operation, derived from the contract. */
export function pagesOf(areas: readonly Area[]): Page[] {
  return [
    startPage(areas),
    ...guides.map((guide): Page => {
      const { name, title, summary } = guide;
      const fixed = () => [{ markdown: guideText(guide) }];
      return { name, kind: "guide", title, summary, state: () => "", parts: fixed };
    }),
    ...areas.flatMap((area) => [
      areaPage(area),
      ...area.operations.map((op) =>
        crawlOperations.has(op.id) ? crawlPage(op) : operationPage(op),
      ),
    ]),
  ];
}

/** The index for programs that read these pages (llmstxt.org). */
export function llmsText(pages: readonly Page[]): string {
  const linesOf = (...kinds: Page["kind"][]) =>
    pages
      .filter(({ kind }) => kinds.includes(kind))
      .map(({ name, title, summary }) => `- [${title}](/docs/${name || "index"}.md): ${summary}`);
  return [
    "# Public-Data Gateway",
    "",
    "> Public data of many providers behind one key and one form of answer. Every operation costs one credit per record; errors are free.",
    "",
    "The whole contract is at /openapi.json, one area of it at /openapi.json?area=NAME; tools for agents are at /mcp, the TypeScript client at /client.tgz.",
    "",
    "## Guides",
    "",
    ...linesOf("start", "guide"),
    "",
    "## Operations",
    "",
    ...linesOf("area", "operation"),
    "",
  ].join("\n");
}

const listOf = (entries: readonly (readonly [name: string, title: string, summary: string])[]) =>
  entries.map(([name, title, summary]) => `- [${title}](/docs/${name}): ${summary}\n`).join("");

function startPage(areas: readonly Area[]): Page {
  const start = readFileSync(new URL("start.md", import.meta.url), "utf8");
  const guideList = listOf(guides.map(({ name, title, summary }) => [name, title, summary]));
  return {
    name: "",
    kind: "start",
    title: "Public-Data Gateway",
    summary: "Keys, a first call, credits, pages, errors, test mode, limits, versions",
    state: (here) => areas.map((area) => countOf(area, here)).join(),
    parts(here) {
      const list = listOf(
        areas.map((area) => [
          area.name,
          area.name,
          `${area.summary}. Available here: ${countOf(area, here)}.`,
        ]),
      );
      const markdown = `${start}\n## Guides\n\n${guideList}\n## Operations\n\n${list}`;
      return [{ markdown }];
    },
  };
}

/** "12 of 14". */
function countOf({ operations }: Area, here: Here): string {
  const available = operations.filter((op) => here.availabilityOf(op) === "available");
  return `${available.length} of ${operations.length}`;
}

function areaPage(area: Area): Page {
  const { name, summary, operations } = area;
  return {
    name,
    kind: "area",
    title: name,
    summary,
    state: (here) => operations.map((op) => here.availabilityOf(op)).join(),
    parts(here) {
      const [first, ...others] = new Set(operations.map((op) => here.availabilityOf(op)));
      const list = listOf(
        operations.map((op) => {
          const availability = here.availabilityOf(op);
          const exception =
            others.length === 0 || availability === "available"
              ? ""
              : ` (here: ${availabilityText[availability]})`;
          return [op.id, op.id, `${op.summary}${exception}`];
        }),
      );
      // A reason that all share is given once.
      const why =
        others.length === 0 && first !== undefined && first !== "available"
          ? ` (${availabilityText[first]})`
          : "";
      const markdown = `# ${name}\n\n${summary}. Available here with a live key: ${countOf(area, here)}${why}.\n\n${list}\nThe contract of this area alone: [openapi.json](/openapi.json?area=${name}).\n`;
      return [{ markdown }];
    },
  };
}

const cell = (text: string) => text.replaceAll("|", "\\|").replaceAll("\n", " ");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |\n`;
  return line(head) + line(head.map(() => "---")) + rows.map(line).join("");
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\`\n`;

const named = ({ id, summary }: Operation) =>
  ({ name: id, kind: "operation", title: id, summary }) as const;

function operationPage(op: Operation): Page {
  return {
    ...named(op),
    op,
    state: (here) => `${here.availabilityOf(op)} ${here.evidenceOf(op)}`,
    parts: (here) => operationParts(op, here),
  };
}

/** How sure the mapping of an operation is: here, from documents, and from recorded answers. */
function evidenceText(op: Operation, here: Here): string {
  const all = Map.groupBy(recordingsOf(op), ({ address, date }) => `${address} ${date}`);
  const each = [...all.values()].map(
    ([one]) => `\`${one?.address.replace("https://", "")}\` (${one?.date})`,
  );
  const from = each.length > 0 ? `, kept in ${each.join(", ")}` : "";
  const own = evidenceOf(op);
  const evidence = here.evidenceOf(op);
  const live = evidence === own ? "" : `${evidence} in this installation; `;
  return `${live}${own}${from}`;
}

function requestText(op: Operation): string {
  const inPath = new Set(pathParameters(op.path));
  const rest = op.method === "POST" ? "body" : "query";
  const fields = fieldsOf(op).map(({ name, required, type, bounds, defaultValue, description }) => [
    `\`${name}\``,
    inPath.has(name) ? "path" : rest,
    `${type}${bounds ? `, ${bounds}` : ""}`,
    required ? "required" : (defaultValue ?? ""),
    description,
  ]);
  return fields.length > 0
    ? table(["field", "in", "type", "default", "meaning"], fields)
    : "It takes no field.";
}

function answerText(op: Operation): string {
  const members = membersOf(op).map(({ name, type, description }) => [
    `\`${name}\``,
    type,
    description,
  ]);
  return joined([
    table(["member of data", "type", "meaning"], members),
    "Errors are those of every operation ([Errors](/docs/errors)); [Retries](/docs/retries) says when to send a call again.",
  ]).trimEnd();
}

const joined = (parts: readonly string[]) => `${parts.join("\n\n")}\n`;

function operationParts(op: Operation, here: Here): Part[] {
  const shown = shownAnswer(op);
  const { curl, typescript, python } = examplesOf(op);
  const sources = sourcesInWords(op.sources);
  const about = [
    `# ${op.id}`,
    `${op.summary}.`,
    ...(op.description ? [op.description] : []),
    ...(sources ? [sources] : []),
    `\`${op.method} ${op.path}\``,
    [
      `- **Here**: ${availabilityText[here.availabilityOf(op)]}`,
      `- **Evidence**: ${evidenceText(op, here)}`,
      `- **Price**: ${priceOfEach(op)}`,
      `- **Area**: [${op.area}](/docs/${op.area})`,
      `- **Try it**: [in a form](/docs/try#/${op.area}/${op.id})`,
    ].join("\n"),
    "## Request",
    requestText(op),
    ...(op.paginated
      ? [
          "`pagination.next_cursor` of an answer is the `cursor` of the next page, `null` at the end ([Pages of a list](/docs#pages-of-a-list)).",
        ]
      : []),
  ];
  const code = [
    "## Code",
    block("sh", curl),
    block("ts", typescript),
    block("python", python),
    ...(shown
      ? [
          "### Sample answer, shortened",
          block("json", JSON.stringify(shownEnvelope(op, shown), null, 2)),
        ]
      : []),
  ];
  const answer = ["## Answer", answerText(op)];
  return [
    { markdown: joined(about) },
    { markdown: joined(code), isCode: true },
    { markdown: joined(answer) },
  ];
}

/** The page of a call that starts work: what follows are requests of its own, so nothing here sends it. */
function crawlPage(op: Operation): Page {
  return {
    ...named(op),
    state: (here) => here.availabilityOf(op),
    parts: (here) => crawlParts(op, here),
  };
}

function crawlParts(op: Operation, here: Here): Part[] {
  const { curl, python } = examplesOf(op);
  const typescript = [
    `import { Gateway } from "public-data-gateway-client";`,
    "",
    `const gateway = new Gateway({ key: process.env.GATEWAY_KEY!, baseUrl: process.env.GATEWAY_URL! });`,
    `const crawl = await gateway.web.crawl(${JSON.stringify(op.example)});`,
    `for await (const page of crawl.pages()) console.log(page.custom_id);`,
  ].join("\n");
  const further = crawlsEndpoints
    .filter(({ id }) => id !== op.id)
    .map(({ method, path, summary }) => [`\`${method} ${path}\``, summary]);
  const about = [
    `# ${op.id}`,
    `${op.summary}.`,
    ...(op.description ? [op.description] : []),
    `\`${op.method} ${op.path}\``,
    [
      `- **Here**: ${availabilityText[here.availabilityOf(op)]}`,
      `- **Price**: ${priceOfEach(op)}`,
      `- **Area**: [${op.area}](/docs/${op.area})`,
      `- **Guide**: [Crawls](/docs/crawl)`,
    ].join("\n"),
    "It answers 202 at once, and [jobs](/docs/jobs) and [batches](/docs/batches) do not take it. These requests follow and control it:",
    table(["request", "what it does"], further),
    "## Request",
    requestText(op),
  ];
  const code = ["## Code", block("sh", curl), block("ts", typescript), block("python", python)];
  return [
    { markdown: joined(about) },
    { markdown: joined(code), isCode: true },
    { markdown: joined(["## Answer", answerText(op)]) },
  ];
}
