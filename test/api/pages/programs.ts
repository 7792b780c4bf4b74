import { execFile } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { examplesOf } from "../../../api/docs/examples.ts";
import { operations } from "../../../contract/index.ts";
import type { Operation } from "../../../contract/operation.ts";
import { root } from "../../imports.ts";
import { seeded } from "../../random.ts";
import { share } from "../../share.ts";
import type { Stage } from "./stage.ts";

const run = promisify(execFile);
/** The programs of one in so many operations run: they are written by one function. */
const oneIn = 6;
/** Stands between the answers of several commands. */
const mark = "@@ end of an answer @@";

async function commandsRun(stage: Stage): Promise<void> {
  const { textOf, environment } = stage;
  const text = await textOf("/docs/index.md");
  const commands = [...text.matchAll(/```sh\n(.*?)```/gs)].map((match) => match[1] as string);
  const runnable = commands.filter((command) => !command.startsWith("export "));
  expect(runnable.length).toBeGreaterThan(6);
  for (const command of runnable) {
    const { stdout } = await run("sh", ["-ec", command], { env: environment() });
    const expected = command.includes("rate_limited")
      ? '"type":"rate_limited"'
      : '"request_id":"svc_';
    expect(stdout, command).toContain(expected);
  }
}

async function everyCommandRuns(stage: Stage): Promise<void> {
  const { folder, environment, there, expectPicture } = stage;
  const commands = [...operations.values()].map((op) => ({
    id: op.id,
    command: there(examplesOf(op).curl),
  }));
  const [pictures, texts] = [true, false].map((isPicture) =>
    commands.filter(({ command }) => command.includes("base64 -d") === isPicture),
  ) as [typeof commands, typeof commands];
  expect(pictures.length).toBeGreaterThan(0);
  for (const { command } of pictures) {
    await run("sh", ["-ec", command], { env: environment(), cwd: folder });
    await expectPicture();
  }
  const tried = share("commands", texts, oneIn);
  // One shell for many commands: starting one for each takes most of the time.
  const lanes = 4;
  const failed = Array.from({ length: lanes }, async (_, lane) => {
    const own = tried.filter((_command, index) => index % lanes === lane);
    const script = own.map(({ command }) => `( ${command}\n)\nprintf '${mark}'`).join("\n");
    const options = { env: environment(), cwd: folder, maxBuffer: 64 << 20 };
    const answers = (await run("sh", ["-ec", script], options)).stdout.split(mark);
    expect(answers.length).toBe(own.length + 1);
    return own.flatMap(({ id }, index) => {
      const answer = answers[index] ?? "";
      return answer.startsWith('{"request_id":"svc_') ? [] : [`${id}: ${answer.slice(0, 200)}`];
    });
  });
  expect((await Promise.all(failed)).flat()).toEqual([]);
}

async function everyPythonProgramRuns(stage: Stage): Promise<void> {
  const { folder, environment, there, expectPicture, programsOf } = stage;
  const screenshot = operations.get("browser.screenshot") as Operation;
  const tried = [...share("Python programs", operations.values(), oneIn), screenshot];
  const programs = tried.map((op) => there(examplesOf(op).python));
  const script = `import sys, json\nfor program in json.load(sys.stdin):\n    exec(program, {})\nprint("all of them ran")`;
  const guidePrograms = await programsOf("python");
  expect(guidePrograms.length).toBeGreaterThan(4);
  const options = { env: environment(), cwd: folder, maxBuffer: 64 << 20 };
  const child = run("python3", ["-c", script], options);
  child.child.stdin?.end(JSON.stringify([...programs, ...guidePrograms]));
  const { stdout } = await child;
  expect(stdout).toContain("all of them ran");
  await expectPicture();
}

async function typeScriptProgramsRun(stage: Stage): Promise<void> {
  const { folder, environment, there, expectPicture, programsOf } = stage;
  const modules = join(folder, "node_modules");
  await mkdir(modules);
  await symlink(join(root, "client"), join(modules, "public-data-gateway-client"));
  const programs = [
    ...(await programsOf("ts")),
    there(examplesOf(operations.get("browser.screenshot") as Operation).typescript),
  ];
  const own = programs.filter((program) => program.includes("process.env.GATEWAY_KEY"));
  expect(own.length).toBeGreaterThan(5);
  const names = own.map((_, number) => `./program-${number}.ts`);
  await Promise.all(own.map((text, number) => writeFile(join(folder, names[number] ?? ""), text)));
  await writeFile(
    join(folder, "all.ts"),
    `${names.map((name) => `await import("${name}");`).join("\n")}\nconsole.log("all of them ran");`,
  );
  const { stdout } = await run(process.execPath, ["all.ts"], { env: environment(), cwd: folder });
  expect(stdout).toContain("all of them ran");
  await expectPicture();
}

/** Every command and program of the pages, run unchanged. */
export function testPrograms(stage: Stage): void {
  test("every command of the start page runs unchanged", () => commandsRun(stage));
  test(seeded("every operation's command runs unchanged"), () => everyCommandRuns(stage));
  test(seeded("every operation's Python program runs unchanged"), () =>
    everyPythonProgramRuns(stage),
  );
  test("the TypeScript programs of the guides run unchanged", () => typeScriptProgramsRun(stage));
}
