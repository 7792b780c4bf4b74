import * as fs from "node:fs";
import { join } from "node:path";
import { browserKinds, debianPackages, npmSource, programsOf } from "./chromium-programs.ts";
import type { BrowserKind, Program } from "./chromium-programs.ts";
import { confining } from "../worker/browser/flags.ts";
import { tryChromium } from "./chromium-trial.ts";
import type { Verdict } from "./chromium-trial.ts";
import { isRoot, ordinaryUserPrefix } from "./process.ts";
import { LocalProblem } from "./problem.ts";

export interface ChromiumPart {
  executablePath: string;
  /** What to put before the executable: as root a user namespace, for npm's build its libraries. */
  launcher: string[];
  /** False means it only runs with `--no-sandbox`. */
  sandbox: boolean;
  /** Processes that its sandbox left out when it was tried with it. */
  unconfined?: string[];
  source: string;
  /** As the browser names itself, `HeadlessChrome/...` a headless shell and `Chrome/...` the full one. */
  product: string;
}

/** What a person should know about the choice: what runs, and what another would be better for. */
export function aboutChromium(part: ChromiumPart, env: NodeJS.ProcessEnv): string {
  const [name = "", version = ""] = part.product.split("/");
  const isShell = name.startsWith("Headless");
  const said = `${isShell ? "headless shell" : "full Chromium"} ${version} (${part.source})`;
  const install = `Debian: apt-get install ${debianPackages.shell}`;
  if (part.source === npmSource) {
    return `${said}. npm's build lags behind in security fixes: install a headless shell (${install}).`;
  }
  if (isShell || env["BROWSER_KIND"] === "full" || env["PUPPETEER_EXECUTABLE_PATH"]) return said;
  return `${said}. A headless shell takes about a third of its processor time for a page (${install}).`;
}

/** The products of earlier successful trials, by program, its age, user and launcher: a launch costs a second. */
class Verdicts {
  private readonly file: string;
  private readonly known: Record<string, string>;

  constructor(home: string) {
    // Named anew where its form changed.
    this.file = join(home, "products.json");
    try {
      this.known = JSON.parse(fs.readFileSync(this.file, "utf8")) as Record<string, string>;
    } catch {
      this.known = {};
    }
  }

  async of(executable: string, launcher: string[], sandbox: boolean): Promise<Verdict> {
    const age = fs.statSync(fs.realpathSync(executable)).mtimeMs;
    const how = sandbox ? confining : ["no sandbox"];
    const key = [executable, age, process.getuid?.(), ...how, ...launcher].join("|");
    const product = this.known[key];
    if (product !== undefined) return { product };
    const verdict = await tryChromium([...launcher, executable], sandbox);
    // Only success is kept: what failed may have been cured since.
    if ("product" in verdict) {
      this.known[key] = verdict.product;
      fs.writeFileSync(this.file, `${JSON.stringify(this.known, null, 2)}\n`);
    }
    return verdict;
  }
}

const withVariables = (program: Program, prefix: string[]): string[] =>
  program.variables.length === 0 ? prefix : [...prefix, "env", ...program.variables];

interface Options {
  allowNoSandbox: boolean;
  env?: NodeJS.ProcessEnv;
  /** Only of this kind; by default what `BROWSER_KIND` allows, the lightest first. */
  kind?: BrowserKind;
}

/** npm's build comes last: it lags behind in security fixes. */
function kindsIn(order: string | undefined): readonly BrowserKind[] {
  if (!order) return browserKinds;
  if (order === "full") return ["full"];
  if (order === "shell") return ["shell", "npm"];
  throw new LocalProblem(`BROWSER_KIND is "${order}"; it may be shell or full.`);
}

/**
 * Finds a Chromium that really renders, with its sandbox where any can. `home` keeps what is
 * unpacked and the verdicts. Without a sandbox only when `allowNoSandbox`, which is for the local
 * start alone. Throws LocalProblem with one sentence when there is none.
 */
export async function findChromium(home: string, options: Options): Promise<ChromiumPart> {
  const env = options.env ?? process.env;
  fs.mkdirSync(home, { recursive: true });
  const verdicts = new Verdicts(home);
  const prefix = isRoot() ? await ordinaryUserPrefix() : [];
  const failures: string[] = [];
  const open = new Map<string, string[]>();
  const attempt = async (program: Program, sandbox: boolean) => {
    const launcher = withVariables(program, sandbox ? (prefix ?? []) : []);
    const verdict = await verdicts.of(program.file, launcher, sandbox);
    const { file: executablePath, source } = program;
    if ("product" in verdict) {
      const unconfined = open.get(executablePath);
      const part = { executablePath, launcher, sandbox, source, product: verdict.product };
      return unconfined && !sandbox ? { ...part, unconfined } : part;
    }
    if (verdict.unconfined) open.set(program.file, verdict.unconfined);
    failures.push(`${program.file}: ${verdict.complaint}`);
    return undefined;
  };
  const told = options.kind ? undefined : env["PUPPETEER_EXECUTABLE_PATH"];
  if (told && !fs.existsSync(told)) {
    throw new LocalProblem(`PUPPETEER_EXECUTABLE_PATH names ${told}, which does not exist.`);
  }
  const kinds = options.kind ? [options.kind] : kindsIn(env["BROWSER_KIND"]);
  const lists: (() => Promise<Program[]>)[] = told
    ? [() => Promise.resolve([{ file: told, source: "PUPPETEER_EXECUTABLE_PATH", variables: [] }])]
    : kinds.map((kind) => () => programsOf(kind, home));
  for (const sandbox of options.allowNoSandbox ? [true, false] : [true]) {
    if (sandbox && prefix === undefined) continue;
    for (const list of lists) {
      for (const program of await list()) {
        const found = await attempt(program, sandbox);
        if (found) return found;
      }
    }
  }
  const detail = failures.length === 0 ? "" : `${failures.join("\n")}\n\n`;
  const { shell, full } = debianPackages;
  throw new LocalProblem(
    told
      ? `${detail}The Chromium of PUPPETEER_EXECUTABLE_PATH does not start.`
      : `${detail}No browser that starts was found: install ${kinds.includes("shell") ? "Chromium's headless shell" : "Chromium or Google Chrome"} (Debian: apt-get install ${kinds.includes("shell") ? shell : full}), or set PUPPETEER_EXECUTABLE_PATH.`,
  );
}
