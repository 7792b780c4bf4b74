import { type Command, Option } from "commander";
import { readFile } from "node:fs/promises";
import { GatewayError, invalid } from "../contract/errors.ts";
import { operations } from "../contract/index.ts";
import { type Mapped, mapStored } from "../worker/stored-answers.ts";

/** `gateway map`: runs the real handler on stored upstream answers. Needs no services. */
export function addMap(program: Command): void {
  program
    .command("map <operation>")
    .description("map stored upstream answers to a record, as the operation does")
    .addOption(
      new Option("--file <answer.json>", "answer to the handler's next request; repeatable")
        .argParser((file: string, files: string[] | undefined) => [...(files ?? []), file])
        .makeOptionMandatory(),
    )
    .option("--input <input.json>", "input of the call; default: the operation's example")
    .option("--upstream <name>", "source of the answers, where the operation has two upstreams")
    .action(async (id: string, options: Options) => {
      const mapped = await mapFiles(id, options).catch(toError);
      process.stdout.write(`${JSON.stringify(mapped, null, 2)}\n`);
      process.exitCode = "error" in mapped ? 1 : 0;
    });
}

interface Options {
  file: string[];
  input?: string;
  upstream?: string;
}

async function mapFiles(id: string, options: Options): Promise<Mapped> {
  const { file: files, input: inputFile, upstream } = options;
  const op = operations.get(id);
  if (!op) throw new GatewayError("validation_error", `There is no operation ${id}`);
  if (op.area === "browser") {
    throw new GatewayError("validation_error", `${id} renders a page; it maps no stored answer`);
  }
  const input: unknown =
    inputFile === undefined ? op.example : parsed(inputFile, await read(inputFile));
  const checked = op.input.safeParse(input);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const path = issue?.path.join(".") ?? "";
    throw invalid("body", path, issue?.code ?? "invalid", `${path}: ${issue?.message}`);
  }
  return mapStored(op, checked.data, await Promise.all(files.map(read)), {
    upstream,
    log(level, message, fields) {
      if (level !== "info") process.stderr.write(`${message} ${described(fields)}\n`);
    },
  });
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const { code = "unreadable" } = error as NodeJS.ErrnoException;
    throw new GatewayError("validation_error", `${file} cannot be read (${code})`);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new GatewayError("validation_error", `${file} is not JSON`);
  }
}

function described(fields: Record<string, unknown> = {}): string {
  const { error, ...rest } = fields;
  const stack = error instanceof Error ? (error.stack ?? error.message) : "";
  return [JSON.stringify(rest), stack].filter(Boolean).join("\n");
}

function toError(error: unknown): Mapped {
  if (!(error instanceof GatewayError)) throw error;
  const { type, message, issues } = error;
  return { error: { type, message, issues } };
}
