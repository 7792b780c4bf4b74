import * as fs from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { tryChromium } from "./chromium-trial.ts";
import type { Verdict } from "./chromium-trial.ts";
import { findInPath, isRoot, ordinaryUserPrefix, run } from "./process.ts";
import { LocalProblem } from "./problem.ts";

export interface ChromiumPart {
  executablePath: string;
  /** What to put before the executable: as root a user namespace, for npm's build its libraries. */
  launcher: string[];
  /** False means it only runs with `--no-sandbox`. */
  sandbox: boolean;
  source: string;
}

interface Candidate {
  file: string;
  source: string;
  /** Variables the program needs, as `NAME=value`. */
  variables: string[];
}

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];

function installed(): Candidate[] {
  const caches = join(homedir(), ".cache", "puppeteer", "chrome");
  const cached = fs.existsSync(caches)
    ? fs.readdirSync(caches).map((version) => join(caches, version, "chrome-linux64", "chrome"))
    : [];
  const applications = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ];
  const files = [...names.map((name) => findInPath(name)), ...applications, ...cached];
  return files
    .filter((file) => file !== undefined && fs.existsSync(file))
    .map((file) => ({ file: file as string, source: `installed, ${file}`, variables: [] }));
}

/** Unpacks npm's Chromium below `home`, once per version; undefined where npm ships none. */
export async function shippedChromium(home: string): Promise<Candidate | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve("@sparticuz/chromium");
  } catch {
    return undefined;
  }
  const text = fs.readFileSync(join(dirname(entry), "..", "package.json"), "utf8");
  const { version } = JSON.parse(text) as { version: string };
  const folder = join(home, version);
  if (!fs.existsSync(folder)) {
    const draft = `${folder}.draft`;
    fs.rmSync(draft, { recursive: true, force: true });
    fs.mkdirSync(draft, { recursive: true });
    // The package unpacks into the folder for temporary files, and its libraries only where it
    // believes to be on the cloud function it was made for.
    const { ok } = await run(
      {
        argv: [
          process.execPath,
          "-e",
          'import("@sparticuz/chromium").then((chromium) => chromium.default.executablePath())',
        ],
        cwd: join(import.meta.dirname, ".."),
        env: { ...process.env, TMPDIR: draft, AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x" },
      },
      120_000,
    );
    if (!ok) return undefined;
    fs.renameSync(draft, folder);
  }
  const file = join(folder, "chromium");
  const { stdout } = await run({ argv: ["ldd", file] }, 5000);
  const variables: string[] = [];
  if (stdout.includes("not found")) {
    variables.push(`LD_LIBRARY_PATH=${join(folder, "al2023", "lib")}`);
  }
  if (!fs.existsSync("/etc/fonts/fonts.conf")) {
    variables.push(`FONTCONFIG_PATH=${join(folder, "fonts")}`);
  }
  return { file, source: "@sparticuz/chromium", variables };
}

/** Verdicts on earlier starts, by program, its age, user and launcher: a launch costs a second. */
class Verdicts {
  private readonly file: string;
  private readonly known: Record<string, true>;

  constructor(home: string) {
    this.file = join(home, "verdicts.json");
    try {
      this.known = JSON.parse(fs.readFileSync(this.file, "utf8")) as Record<string, true>;
    } catch {
      this.known = {};
    }
  }

  async of(executable: string, launcher: string[], sandbox: boolean): Promise<Verdict> {
    const age = fs.statSync(fs.realpathSync(executable)).mtimeMs;
    const key = [executable, age, process.getuid?.(), sandbox, ...launcher].join("|");
    if (this.known[key]) return true;
    const verdict = await tryChromium([...launcher, executable], sandbox);
    // Only success is kept: what failed may have been cured since.
    if (verdict === true) {
      this.known[key] = true;
      fs.writeFileSync(this.file, `${JSON.stringify(this.known, null, 2)}\n`);
    }
    return verdict;
  }
}

const withVariables = (candidate: Candidate, prefix: string[]): string[] =>
  candidate.variables.length === 0 ? prefix : [...prefix, "env", ...candidate.variables];

/**
 * Finds a Chromium that really renders, with its sandbox where any can. `home` keeps what is
 * unpacked and the verdicts. Without a sandbox only when `allowNoSandbox`, which is for the local
 * start alone. Throws LocalProblem with one sentence when there is none.
 */
export async function findChromium(
  home: string,
  options: { allowNoSandbox: boolean; env?: NodeJS.ProcessEnv; fresh?: boolean },
): Promise<ChromiumPart> {
  const env = options.env ?? process.env;
  fs.mkdirSync(home, { recursive: true });
  if (options.fresh) fs.rmSync(join(home, "verdicts.json"), { force: true });
  const verdicts = new Verdicts(home);
  const prefix = isRoot() ? await ordinaryUserPrefix() : [];
  const failures: string[] = [];
  const attempt = async (candidate: Candidate, sandbox: boolean) => {
    const launcher = withVariables(candidate, sandbox ? (prefix ?? []) : []);
    const verdict = await verdicts.of(candidate.file, launcher, sandbox);
    const { file: executablePath, source } = candidate;
    if (verdict === true) return { executablePath, launcher, sandbox, source };
    failures.push(`${candidate.file}: ${verdict}`);
    return undefined;
  };
  const told = env["PUPPETEER_EXECUTABLE_PATH"];
  if (told && !fs.existsSync(told)) {
    throw new LocalProblem(`PUPPETEER_EXECUTABLE_PATH names ${told}, which does not exist.`);
  }
  const candidates: (() => Candidate[] | Promise<Candidate[]>)[] = told
    ? [() => [{ file: told, source: "PUPPETEER_EXECUTABLE_PATH", variables: [] }]]
    : [installed, async () => [await shippedChromium(home)].filter((one) => one !== undefined)];
  for (const sandbox of options.allowNoSandbox ? [true, false] : [true]) {
    if (sandbox && prefix === undefined) continue;
    for (const list of candidates) {
      for (const candidate of await list()) {
        const found = await attempt(candidate, sandbox);
        if (found) return found;
      }
    }
  }
  const detail = failures.length === 0 ? "" : `${failures.join("\n")}\n\n`;
  throw new LocalProblem(
    told
      ? `${detail}The Chromium of PUPPETEER_EXECUTABLE_PATH does not start.`
      : `${detail}No Chromium that starts was found: install Chromium or Google Chrome (Debian: apt-get install chromium), or set PUPPETEER_EXECUTABLE_PATH.`,
  );
}
