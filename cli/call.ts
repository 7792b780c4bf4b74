import { type Command, Option } from "commander";
import { fieldsOf } from "../api/describe.ts";
import { reasonOf } from "../api/mcp/gateway.ts";
import { one } from "../client/src/calls.ts";
import { ConnectionError, isGatewayError } from "../client/src/errors.ts";
import { Transport } from "../client/src/transport.ts";
import { crawlOperations } from "../contract/crawl-operations.ts";
import { neededFor, priceOfEach } from "../contract/pricing.ts";
import { findCallables, nearOperations } from "../contract/search-operations.ts";
import { operations } from "../contract/index.ts";
import type { Operation } from "../contract/operation.ts";
import { recordsIn } from "../contract/records.ts";
import { dataDir, readRunning } from "../local/data-folder.ts";
import { httpUrl, mostCredits, wholeNumber } from "./arguments.ts";
import { followCrawl } from "./crawl.ts";
import { type Print, fields as fieldLines, table } from "./output.ts";
import { CliProblem } from "./problem.ts";

/** `gateway call`: calls an operation from a terminal, with a caller's key. */

const defaultUrl = "http://localhost:3000";
export function gatewayUrl(flag = "--url"): Option {
  return new Option(`${flag} <url>`, "URL of the gateway")
    .env("GATEWAY_URL")
    .argParser(httpUrl)
    .default(localUrl() ?? defaultUrl);
}

/** The gateway of `npm start`, which may have another port. A folder of another user has none. */
function localUrl(): string | undefined {
  try {
    return readRunning(dataDir(process.env))?.apiUrl;
  } catch {
    return undefined;
  }
}

export function gatewayKey(): string {
  const key = process.env["GATEWAY_KEY"];
  if (!key)
    throw new CliProblem("usage", "GATEWAY_KEY: is required; set it to a key of the gateway");
  return key;
}

interface CallOptions {
  gateway: string;
  follow?: boolean;
  format?: "json" | "ndjson" | "table";
  all?: boolean;
  most?: number;
  scenario?: string;
  dryRun?: boolean;
  fields?: string;
  maxCredits?: number;
}

interface Answer {
  request_id: string;
  data: unknown;
  billing: { credits_charged: number; balance_remaining: number };
  pagination?: { next_cursor: string | null };
}

export function addCall(program: Command, print: Print): void {
  const command = program
    .command("call [operation] [fields...]")
    .description(
      "Calls an operation with the key in GATEWAY_KEY. The operation's fields are options (--query coffee); `call <operation> --help` lists them. Without an operation, or with other words, it searches the operations.",
    )
    .allowUnknownOption()
    .helpOption(false)
    .addOption(gatewayUrl("--gateway"))
    .addOption(
      new Option("--format <format>", "default: a table in a terminal, else JSON").choices([
        "json",
        "ndjson",
        "table",
      ]),
    )
    .option("--follow", "of web.crawl: the pages as they come, a line of JSON each")
    .option("--all", "every page of a list")
    .option("--most <n>", "with --all: the most records", wholeNumber(1, 10_000_000))
    .option("--fields <names>", "only these members of each record: id,author.name")
    .option("--dry-run", "show the cost without calling")
    .option("--max-credits <n>", "the most credits for each page", wholeNumber(1, mostCredits))
    .option("--scenario <name>", "with a test key: the scenario that the gateway simulates")
    .action(async (name: string | undefined, words: string[], options: CallOptions) => {
      const op = operations.get(name ?? "") ?? crawlOperations.get(name ?? "");
      const isHelp = [name ?? "", ...words].some(asksForHelp);
      if (op && isHelp) return print(explained(op, command));
      if (op) return call(op, inputOf(op, withoutGateway(op, words, options)), options, print);
      const query = [name ?? "", ...words].filter((word) => !asksForHelp(word));
      if (query.some((word) => word.startsWith("--")) || /^[\w-]+\.[\w.-]+$/.test(query[0] ?? ""))
        throw unknownOperation(query[0] ?? "");
      const { json, text } = found(query.join(" "));
      return print({ json, text: isHelp ? `${text}\n\n${ownOptions(command)}` : text });
    });
}

const asksForHelp = (word: string): boolean => word === "--help" || word === "-h";

/** A program that misspells an operation gets an error, not a list of other operations. */
function unknownOperation(name: string): CliProblem {
  const near = nearOperations(name);
  const perhaps = near.length > 0 ? `; perhaps ${near.join(", ")}` : "";
  return new CliProblem("usage", `There is no operation ${name}${perhaps}`);
}

/** The options of a call other than the operation's own fields. */
const ownOptions = ({ options }: Command): string =>
  table(
    ["option", "meaning"],
    options.map(({ flags, description }) => [flags, description]),
  );

function found(question: string) {
  const all =
    question.trim() === ""
      ? [...operations.values()]
      : findCallables(question).map(({ operation }) => operation);
  if (all.length === 0) throw new CliProblem("usage", `There is no operation ${question}`);
  const rows = all.map((op) => [op.id, op.summary]);
  return {
    json: all.map(({ id, summary }) => ({ id, summary })),
    text: table(["operation", "summary"], rows),
  };
}

function explained(op: Operation, command: Command) {
  const fields = fieldsOf(op);
  const rows = fields.map(({ name, required, type, bounds, defaultValue, description }) => [
    `--${name}`,
    required ? "required" : (defaultValue ?? ""),
    [type, bounds].filter(Boolean).join(", "),
    description,
  ]);
  return {
    json: { operation: op.id, summary: op.summary, fields, example: op.example },
    text: [
      `${op.id}: ${op.summary}. ${priceOfEach(op)}`,
      table(["field", "default", "type", "meaning"], rows),
      ownOptions(command),
    ].join("\n\n"),
  };
}

/** `--url` names the gateway, as in earlier releases, unless it is a field of the operation. */
function withoutGateway(
  op: Operation,
  words: readonly string[],
  options: CallOptions,
): readonly string[] {
  const at = words.findIndex((word) => /^--url(?:=|$)/.test(word));
  if (at < 0 || Object.hasOwn(op.input.shape, "url")) return words;
  const [word = "", next = ""] = words.slice(at);
  const isAttached = word.includes("=");
  options.gateway = httpUrl(isAttached ? word.slice("--url=".length) : next, options.gateway);
  return words.toSpliced(at, isAttached ? 1 : 2);
}

/** `--name value`, `--name=value`, and `--flag` for a boolean. */
function inputOf(op: Operation, words: readonly string[]): Record<string, unknown> {
  const fields = new Map(fieldsOf(op).map((field) => [field.name, field]));
  const input: Record<string, unknown> = {};
  for (let index = 0; index < words.length; index += 1) {
    const [, given = "", attached] = /^--([\w-]+)(?:=(.*))?$/s.exec(words[index] ?? "") ?? [];
    const name = fields.has(given) ? given : given.replaceAll("-", "_");
    const field = fields.get(name);
    if (!field) {
      const known = [...fields.keys()].map((one) => `--${one}`).join(", ");
      throw new CliProblem("usage", `${words[index]}: ${op.id} has no such field; it has ${known}`);
    }
    const isFlag =
      attached === undefined &&
      field.type === "boolean" &&
      !/^(true|false)$/.test(words[index + 1] ?? "");
    const text = isFlag ? "true" : (attached ?? words[(index += 1)]);
    if (text === undefined) throw new CliProblem("usage", `--${given}: needs a value`);
    input[name] = valueOf(field.type, text);
  }
  return input;
}

/** Converts a text to the field's type. A text that does not fit stays as it is, and the gateway refuses it. */
function valueOf(type: string, text: string): unknown {
  if (/^(integer|number)$/.test(type) && text.trim() !== "" && !Number.isNaN(Number(text)))
    return Number(text);
  if (type === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  if (/^\s*[[{]/.test(text) && !/^string$/.test(type)) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  if (type.startsWith("list of")) {
    return text.split(",").map((part) => valueOf(type.slice("list of ".length), part));
  }
  return text;
}

async function call(
  op: Operation,
  input: object,
  options: CallOptions,
  print: Print,
): Promise<void> {
  const transport = new Transport({ key: gatewayKey(), baseUrl: options.gateway });
  const route = { method: op.method, path: op.path };
  const { scenario, maxCredits, dryRun, fields } = options;
  const requested = { scenario, fields: fields?.split(","), maxCredits };
  try {
    if (dryRun) {
      const price = await one<Answer>(transport, route, input, requested).price();
      const { credits, why, covered } = price;
      const text = fieldLines({ ...credits, why, "covered now": covered.most || covered.least });
      return print({ json: price, text });
    }
    if (options.follow) {
      if (op.id !== "web.crawl") throw new CliProblem("usage", "--follow: only web.crawl has it");
      return await followCrawl(transport, input, requested);
    }
    if (options.all) {
      const page = (cursor: string | undefined, left: number) => {
        const most = Math.min(maxCredits ?? Infinity, Math.max(left, neededFor(op)));
        const capped = Number.isFinite(most) ? { maxCredits: most } : {};
        const fieldsOfPage = cursor === undefined ? input : { ...input, cursor };
        return one<Answer>(transport, route, fieldsOfPage, { ...requested, ...capped });
      };
      return await all(page, options, print);
    }
    const answer = await one<Answer>(transport, route, input, requested);
    show(answer, options, print);
  } catch (error) {
    throw problemOf(error);
  }
}

/**
 * Reads page by page, so that a stream shows the first records at once; progress goes to standard error. A
 * page costs no more than the records that are still needed.
 */
async function all(
  page: (cursor: string | undefined, left: number) => PromiseLike<Answer>,
  options: CallOptions,
  print: Print,
): Promise<void> {
  const records: unknown[] = [];
  let credits = 0;
  let count = 0;
  const most = options.most ?? Infinity;
  const isStream = options.format === "ndjson";
  let cursor: string | undefined;
  do {
    const { data, billing, pagination } = await page(cursor, most - count);
    const rows = recordsOf(data).slice(0, most - count);
    count += rows.length;
    credits += billing.credits_charged;
    cursor = pagination?.next_cursor ?? undefined;
    if (isStream) for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    else records.push(...rows);
    if (process.stderr.isTTY) process.stderr.write(`\r${count} records, ${credits} credits `);
  } while (cursor !== undefined && count < most);
  if (process.stderr.isTTY) process.stderr.write("\n");
  if (!isStream) show({ data: records }, options, print);
}

/** The rows to show: the records, or the whole answer as one row. */
const recordsOf = (data: unknown): readonly unknown[] => recordsIn(data) ?? [data];

function show(answer: { data: unknown }, { format }: CallOptions, print: Print): void {
  const rows = recordsOf(answer.data);
  if (format === "ndjson") {
    for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
    return;
  }
  const isTable = format === "table" || (format === undefined && process.stdout.isTTY);
  const text = isTable ? tableOf(rows) : JSON.stringify(answer, null, 2);
  print({ json: answer, text });
}

const mostColumns = 6;
const mostWidth = 40;

/** A table of the first members with plain values; objects are left out. */
function tableOf(rows: readonly unknown[]): string {
  const objects = rows.map((row) =>
    typeof row === "object" && row !== null ? row : { value: row },
  );
  const isPlain = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
  const names = [...new Set(objects.flatMap((row) => Object.keys(row)))]
    .filter((name) => objects.some((row) => isPlain((row as Record<string, unknown>)[name])))
    .slice(0, mostColumns);
  const cells = objects.map((row) =>
    names.map((name) => {
      const value = (row as Record<string, unknown>)[name];
      if (typeof value === "number" || typeof value === "boolean") return value;
      const text = typeof value === "string" ? value.replace(/\s+/g, " ") : "";
      return text.length > mostWidth ? `${text.slice(0, mostWidth - 1)}…` : text;
    }),
  );
  return table(names, cells);
}

/** One line for the whole error, or one for each refused field. */
function problemOf(error: unknown): unknown {
  if (isGatewayError(error)) {
    const lines = error.issues.map(({ path, message }) =>
      message.startsWith(`${path}:`) ? message : `${path}: ${message}`,
    );
    const id = error.requestId === undefined ? "" : ` (${error.requestId})`;
    const text = lines.length > 0 ? lines.join("\n") : error.message;
    return new CliProblem(error.type, `${error.type}: ${text}${id}`);
  }
  if (error instanceof ConnectionError) {
    return new CliProblem("unreachable", `${error.message}: ${reasonOf(error)}`, { cause: error });
  }
  return error;
}
