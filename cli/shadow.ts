import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Command } from "commander";
import { build } from "../runtime/build.ts";
import { keyFromPepper } from "../runtime/kept-answers.ts";
import { settingOf } from "../runtime/settings.ts";
import { addCommand } from "./arguments.ts";
import { fields as lines, type Output, type Print, table } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { type Answered, keptCalls, operationOf, recordedCalls } from "./shadow/answers.ts";
import { type Difference, differencesOf, harmless, joined } from "./shadow/compare.ts";
import { type Outline, outlineOf } from "./shadow/fields.ts";
import { findSystem } from "./system.ts";

/** The form of a file of results. */
const form = 1;
const mostOutputBytes = 16 * 1024 * 1024;

interface Saved {
  form: number;
  version: string;
  commit: string | undefined;
  at: string;
  /** Part of the key of the hashes; the other part is the key of the kept answers. */
  salt: string;
  calls: { id: string; operation: string; outline: Outline }[];
}

interface Options {
  dir?: string;
}

const dirOption = [
  "--dir <folder>",
  "recorded answers in this folder, in place of those that workers keep",
] as const;

/** `gateway shadow`: maps the same raw answers with two versions of the code. Sends nothing. */
export function addShadow(program: Command, print: Print): void {
  const shadow = program
    .command("shadow")
    .description("compare what two versions of the gateway make of the same answers of upstreams");
  addCommand(shadow, "save <file>", "map the kept answers with this version, and keep the results")
    .option(...dirOption)
    .action(async (file: string, options: Options) => {
      const saved = await results(options, randomBytes(16).toString("base64url"));
      if (saved.calls.length === 0) throw nothing(options);
      await writeFile(file, JSON.stringify(saved), { mode: 0o600 });
      const { calls, version } = saved;
      const text = `The results of ${calls.length} calls with version ${version} are in ${file}. It contains no values.`;
      print({ json: { file, version, calls: calls.length }, text });
    });
  addCommand(
    shadow,
    "compare <file-or-checkout>",
    "map the same answers with this version, and show the differences by field",
  )
    .option(...dirOption)
    .action(async (from: string, options: Options) => {
      const old = await savedIn(from, options);
      const ids = new Set(old.calls.map(({ id }) => id));
      print(compared(old, await results(options, old.salt, ids)));
    });
}

function nothing({ dir }: Options): CliProblem {
  return new CliProblem(
    "nothing_kept",
    dir === undefined
      ? "No answers are kept: workers keep some of each operation for 48 hours (KEEP_GOOD_ANSWERS)."
      : `${dir} has no recorded answers: <operation>/<call>/1.json and so on.`,
  );
}

/** The key of the kept answers; undefined where this installation has none. */
function keptKey(): string | undefined {
  const own = settingOf(process.env, "FAILED_ANSWERS_KEY");
  if (own !== undefined) return own;
  const { keyPepper } = findSystem();
  return keyPepper === undefined ? undefined : keyFromPepper(keyPepper);
}

/** The results of this version, for the calls with these ids where they are given. */
async function results({ dir }: Options, salt: string, ids?: ReadonlySet<string>): Promise<Saved> {
  const key = dir === undefined ? keptKey() : "";
  if (key === undefined) throw new CliProblem("setup", "FAILED_ANSWERS_KEY is not set.");
  const source = dir === undefined ? keptCalls(key, ids) : recordedCalls(dir);
  const calls: Saved["calls"] = [];
  for await (const answered of source) {
    if (ids && !ids.has(answered.id)) continue;
    const { id, operation } = answered;
    calls.push({ id, operation, outline: await outlined(answered, `${salt} ${key}`) });
  }
  const { version, commit } = build;
  return { form, version, commit, at: new Date().toISOString(), salt, calls };
}

async function outlined(answered: Answered, key: string): Promise<Outline> {
  const op = operationOf(answered);
  if (!op) return { error: "unknown_operation", field: undefined };
  try {
    return outlineOf(await answered.map(op), key);
  } catch {
    // The input of a recorded call is one that this version refuses.
    return { error: "input_refused", field: undefined };
  }
}

async function savedIn(from: string, options: Options): Promise<Saved> {
  const found = await stat(from).catch(() => undefined);
  if (!found) throw new CliProblem("usage", `There is no file or folder ${from}.`);
  const text = found.isDirectory() ? await savedBy(from, options) : await readFile(from, "utf8");
  try {
    const saved = JSON.parse(text) as Saved;
    if (saved.form === form) return saved;
  } catch {
    // Said below.
  }
  throw new CliProblem("usage", `${from} is no file that \`gateway shadow save\` has written.`);
}

/** Lets the version in another checkout map the answers of this system. */
async function savedBy(checkout: string, { dir }: Options): Promise<string> {
  if (!existsSync(join(checkout, "cli", "main.ts")))
    throw new CliProblem("usage", `${checkout} is neither a file nor a checkout of the gateway.`);
  const folder = await mkdtemp(join(tmpdir(), "gateway-shadow-"));
  const file = join(folder, "saved.json");
  const system = dir === undefined ? findSystem() : undefined;
  const key = dir === undefined ? keptKey() : undefined;
  const env = {
    ...process.env,
    ...(system ? { DATABASE_URL: system.databaseUrl, REDIS_URL: system.redisUrl } : {}),
    ...(key === undefined ? {} : { FAILED_ANSWERS_KEY: key }),
  };
  const args = dir === undefined ? [] : ["--dir", resolve(dir)];
  try {
    await promisify(execFile)(process.execPath, ["cli/main.ts", "shadow", "save", file, ...args], {
      cwd: checkout,
      env,
      maxBuffer: mostOutputBytes,
    });
    return await readFile(file, "utf8");
  } catch (error) {
    const { stderr = "" } = error as { stderr?: string };
    const last = stderr.trim().split("\n").at(-1) ?? "";
    throw new CliProblem(
      "checkout",
      `The gateway in ${checkout} could not map the answers: ${last || (error as Error).message}`,
      { cause: error },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function compared(old: Saved, now: Saved): Output {
  const known = new Map(old.calls.map((call) => [call.id, call]));
  const pairs = now.calls.flatMap(({ id, operation, outline }) => {
    const before = known.get(id);
    if (!before) return [];
    const isMapped = !("error" in before.outline) || !("error" in outline);
    return [{ operation, isMapped, found: differencesOf(before.outline, outline) }];
  });
  const differences = joined(pairs);
  const bad = differences.filter(({ change }) => !harmless.has(change));
  const unmapped = pairs.filter(({ isMapped }) => !isMapped).length;
  const isNothing = pairs.length === unmapped;
  const operations = new Set(pairs.map(({ operation }) => operation)).size;
  const head = {
    "old version": textOf(old),
    "this version": textOf(now),
    "calls compared": pairs.length,
    operations,
    "mapped by neither": unmapped,
    "no longer kept": old.calls.length - pairs.length,
  };
  const json = {
    ok: bad.length === 0 && !isNothing,
    old: { version: old.version, commit: old.commit ?? null },
    new: { version: now.version, commit: now.commit ?? null },
    calls: pairs.length,
    operations,
    mapped_by_neither: unmapped,
    no_longer_kept: head["no longer kept"],
    differences,
  };
  return {
    json,
    text: [lines(head), isNothing ? "Nothing could be compared." : shown(differences)].join("\n\n"),
    failed: !json.ok,
  };
}

const textOf = ({ version, commit }: Saved): string =>
  commit === undefined ? version : `${version} (${commit.slice(0, 10)})`;

function shown(differences: readonly Difference[]): string {
  if (differences.length === 0) return "Both make the same of every answer.";
  const rows = differences.map(({ operation, path, change, was, now, records, of, calls }) => [
    operation,
    path === "" ? "(answer)" : path,
    change,
    was,
    now,
    `${records} of ${of}`,
    calls,
  ]);
  return table(["operation", "field", "change", "was", "is", "records", "calls"], rows);
}
