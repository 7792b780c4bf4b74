import * as fs from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { findInPath, run } from "./process.ts";
import { installByApt } from "./system-packages.ts";

/** Sources of Chromium: an installed headless shell, an installed full browser, or npm's build of the shell. */
export const browserKinds = ["shell", "full", "npm"] as const;
export type BrowserKind = (typeof browserKinds)[number];

export interface Program {
  file: string;
  source: string;
  /** Variables the program needs, as `NAME=value`. */
  variables: string[];
}

const names = {
  shell: ["chromium-headless-shell", "chrome-headless-shell"],
  full: ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"],
};

const applications = {
  shell: [],
  full: [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ],
};

/** Folder and file names in Puppeteer's own cache. */
const cacheNames = { shell: "chrome-headless-shell", full: "chrome" };

function inPuppeteersCache(kind: "shell" | "full"): string[] {
  const name = cacheNames[kind];
  const folder = join(homedir(), ".cache", "puppeteer", name);
  if (!fs.existsSync(folder)) return [];
  return fs
    .readdirSync(folder)
    .flatMap((version) =>
      fs
        .readdirSync(join(folder, version))
        .map((unpacked) => join(folder, version, unpacked, name)),
    );
}

/** The program behind Debian's /usr/bin/chromium-headless-shell, a script that keeps running and forwards no signals. */
const behindScript = { shell: ["/usr/lib/chromium/chromium-headless-shell"], full: [] };

function installed(kind: "shell" | "full"): Program[] {
  const files = [
    ...behindScript[kind],
    ...names[kind].map((name) => findInPath(name)),
    ...applications[kind],
    ...inPuppeteersCache(kind),
  ];
  return files
    .filter((file) => file !== undefined && fs.existsSync(file))
    .map((file) => ({ file: file as string, source: `installed, ${file}`, variables: [] }));
}

/** The Debian packages. */
export const debianPackages = { shell: "chromium-headless-shell", full: "chromium" };

/** The available programs of one kind; npm's build is unpacked below `home`. */
export async function programsOf(kind: BrowserKind, home: string): Promise<Program[]> {
  if (kind !== "npm") return installed(kind);
  return [await shippedChromium(home)].filter((program) => program !== undefined);
}

/** Installs a missing browser of one kind from the system's packages; false where this user may not. */
export async function installBrowser(kind: "shell" | "full"): Promise<boolean> {
  return installed(kind).length > 0 || (await installByApt(debianPackages[kind]));
}

export const npmSource = "@sparticuz/chromium";

/** Unpacks npm's Chromium below `home`, once per version; undefined on platforms without an npm build. */
export async function shippedChromium(home: string): Promise<Program | undefined> {
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
    // The package unpacks into the temporary folder, and its libraries only on the cloud function that it
    // was made for, so these variables simulate that environment.
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
  return { file, source: npmSource, variables };
}
