import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

/** An empty project of a caller, with the client of a gateway installed and nothing else. */
export interface Project {
  folder: string;
  /** Files of the installed client. */
  files: string[];
  /** Compiles a program with every check, the client's own types included, and runs it; resolves to what it printed. */
  run(name: string, source: string, env?: Record<string, string>): Promise<string>;
  /** The compiler's errors for a program; empty when it is right. `lib`: the types of its platform. */
  complaints(name: string, source: string, lib?: string): Promise<string>;
  remove(): Promise<void>;
}

export async function newProject(gatewayUrl: string): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), "caller-"));
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  const install = ["install", "--no-audit", "--no-fund", `${gatewayUrl}/client.tgz`];
  await run("npm", install, { cwd: folder, timeout: 400_000 });
  const installed = join(folder, "node_modules", "public-data-gateway-client");
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(installed, join(entry.parentPath, entry.name)));

  async function compile(
    name: string,
    source: string,
    lib = "es2022,dom,dom.iterable",
  ): Promise<string> {
    await writeFile(join(folder, `${name}.ts`), source);
    const options = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
    const platform = ["--target", "es2022", "--lib", lib, "--types", ""];
    const modules = ["--module", "nodenext", "--skipLibCheck", "false"];
    return run(process.execPath, [tsc, ...options, ...platform, ...modules, `${name}.ts`], {
      cwd: folder,
      maxBuffer: 16 << 20,
    }).then(
      () => "",
      (error: { stdout: string; message: string }) => error.stdout || error.message,
    );
  }

  return {
    folder,
    files,
    complaints: compile,
    async run(name, source, env = {}) {
      const complaints = await compile(name, source);
      if (complaints) throw new Error(complaints.slice(0, 2000));
      const { stdout } = await run(process.execPath, [`${name}.js`], {
        cwd: folder,
        env: { ...process.env, ...env },
        timeout: 400_000,
        maxBuffer: 16 << 20,
      });
      return stdout;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
