import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openApi } from "../../api/openapi/openapi.ts";
import { areas } from "../../contract/index.ts";
import { root } from "../imports.ts";
import { generators } from "./generators.ts";

/** `npm run test:generators`: clients that others' generators make of /openapi.json, used under strict types. */

const run = promisify(execFile);
const long = 600_000;
const strict = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable", "dom.asynciterable"],
    module: "preserve",
    types: [],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-generators-"));
  const write = (name: string, value: object) =>
    writeFile(join(folder, name), JSON.stringify(value));
  const packages = Object.values(generators).map((generator) => generator.packages);
  await write("package.json", { type: "module", dependencies: Object.assign({}, ...packages) });
  await write("openapi.json", openApi(areas));
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"];
  await run("npm", ["install", ...options], { cwd: folder });
}, long);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Messages of the compiler about a program beside a generated client. */
async function complaints(name: string, program: string): Promise<string> {
  const project = join(folder, `${name}.tsconfig.json`);
  await writeFile(join(folder, name, "program.ts"), program);
  await writeFile(project, JSON.stringify({ ...strict, files: [`${name}/program.ts`] }));
  const tsc = join(root, "node_modules", ".bin", "tsc");
  return run(tsc, ["--project", project]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );
}

test.each(Object.entries(generators))(
  "a client of %s has the types that the document promises",
  async (name, { script, program }) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, `${name}.mjs`), script);
    await run(process.execPath, [`${name}.mjs`], { cwd: folder, maxBuffer: 64 << 20 });
    expect(await complaints(name, program)).toBe("");
    const wrong = await complaints(name, program.replace("[0]?.id;", "[0]?.no_such_member;"));
    expect(wrong).toContain("'no_such_member' does not exist");
  },
  long,
);
