import * as fs from "node:fs";
import { join } from "node:path";
import { browserKinds, debianPackages, npmSource, programsOf } from "./chromium-programs.ts";
import type { BrowserKind, Program } from "./chromium-programs.ts";
import { confining } from "../worker/browser/chromium/flags.ts";
import { tryChromium } from "./chromium-trial.ts";
import type { Verdict } from "./chromium-trial.ts";
import { isRoot, ordinaryUserPrefix } from "./process.ts";
import { LocalProblem } from "./problem.ts";

export interface ChromiumPart {
  executablePath: string;
  /** The command prefix: a user namespace for root, the libraries for npm's build. */
  launcher: string[];
  /** False where the browser runs only with `--no-sandbox`. */
  sandbox: boolean;
  /** Processes that stayed unconfined in the trial with a sandbox. */
  unconfined?: string[];
  source: string;
  /** The browser's own name: `HeadlessChrome/...` for a headless shell, `Chrome/...` for the full browser. */
  product: string;
}

/** A message about the chosen browser, with a hint where another one would be better. */
export function aboutChromium(part: ChromiumPart, env: NodeJS.ProcessEnv): string {
  const [name = "", version = ""] = part.product.split("/");
  const isShell = name.startsWith("Headless");
  const description = `${isShell ? "headless shell" : "full Chromium"} ${version} (${part.source})`;
  const install = `Debian: apt-get install ${debianPackages.shell}`;
  if (part.source === npmSource) {
    return `${description}. npm's build lags behind in security fixes: install a headless shell (${install}).`;
  }
  if (isShell || env["BROWSER_KIND"] === "full" || env["PUPPETEER_EXECUTABLE_PATH"])
    return description;
  return `${description}. A headless shell needs about a third of its processor time for a page (${install}).`;
}

/** A cache of successful trials, by program, modification time, user and launcher: a launch costs a second. */
class Verdicts {
  private readonly file: string;
  private readonly known: Record<string, string>;

  private readonly confinedWithinMs: number | undefined;

  constructor(home: string, confinedWithinMs: number | undefined) {
    this.confinedWithinMs = confinedWithinMs;
    // A new file name invalidates the cache when its format changes.
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
    const verdict = await tryChromium([...launcher, executable], sandbox, this.confinedWithinMs);
    // Only successes are cached: a failure may have been fixed since.
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
  /** Only this kind; default: the kinds that `BROWSER_KIND` allows, the lightest first. */
  kind?: BrowserKind;
  /** Each process of a browser has this time to confine itself; default: 5 s. */
  confinedWithinMs?: number | undefined;
}

/** Kinds in order of preference. npm's build comes last, because it lags behind in security fixes. */
function kindsIn(order: string | undefined): readonly BrowserKind[] {
  if (!order) return browserKinds;
  if (order === "full") return ["full"];
  if (order === "shell") return ["shell", "npm"];
  throw new LocalProblem(`BROWSER_KIND is "${order}"; it may be shell or full.`);
}

/**
 * Finds a Chromium that really renders, with a sandbox where any browser has one. `home` holds the unpacked
 * browser and the cached trials. `allowNoSandbox`, for the local start only, accepts a browser without a
 * sandbox. Throws LocalProblem with one sentence when there is none.
 */
export async function findChromium(home: string, options: Options): Promise<ChromiumPart> {
  const env = options.env ?? process.env;
  fs.mkdirSync(home, { recursive: true });
  const verdicts = new Verdicts(home, options.confinedWithinMs);
  const prefix = isRoot() ? await ordinaryUserPrefix() : [];
  const failures: string[] = [];
  const unconfinedOf = new Map<string, string[]>();
  const attempt = async (program: Program, sandbox: boolean) => {
    const launcher = withVariables(program, sandbox ? (prefix ?? []) : []);
    const verdict = await verdicts.of(program.file, launcher, sandbox);
    const { file: executablePath, source } = program;
    if ("product" in verdict) {
      const unconfined = unconfinedOf.get(executablePath);
      const part = { executablePath, launcher, sandbox, source, product: verdict.product };
      return unconfined && !sandbox ? { ...part, unconfined } : part;
    }
    if (verdict.unconfined) unconfinedOf.set(program.file, verdict.unconfined);
    failures.push(`${program.file}: ${verdict.complaint}`);
    return undefined;
  };
  const configured = options.kind ? undefined : env["PUPPETEER_EXECUTABLE_PATH"];
  if (configured && !fs.existsSync(configured)) {
    throw new LocalProblem(`PUPPETEER_EXECUTABLE_PATH names ${configured}, which does not exist.`);
  }
  const kinds = options.kind ? [options.kind] : kindsIn(env["BROWSER_KIND"]);
  const lists: (() => Promise<Program[]>)[] = configured
    ? [
        () =>
          Promise.resolve([
            { file: configured, source: "PUPPETEER_EXECUTABLE_PATH", variables: [] },
          ]),
      ]
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
    configured
      ? `${detail}The Chromium of PUPPETEER_EXECUTABLE_PATH does not start.`
      : `${detail}No browser that starts was found: install ${kinds.includes("shell") ? "Chromium's headless shell" : "Chromium or Google Chrome"} (Debian: apt-get install ${kinds.includes("shell") ? shell : full}), or set PUPPETEER_EXECUTABLE_PATH.`,
  );
}
