import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

/** The build that this process runs. */
export interface Build {
  /** Version of the package. */
  version: string;
  /** Full id of the git commit, of an image or a clone; absent where it is unknown. */
  commit?: string | undefined;
}

/** A process as it reports itself. */
export interface ProcessAbout extends Build {
  /** Host name and process id. */
  name: string;
  /** Start of the process, Unix time in milliseconds, on its own clock. */
  since: number;
}

const root = join(import.meta.dirname, "..");
const commitPattern = /^[0-9a-f]{40}$|^[0-9a-f]{64}$/;

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

/** The commit that is checked out in a clone. */
function checkedOut(folder: string): string {
  const head = textOf(join(folder, ".git", "HEAD"));
  const ref = /^ref: (refs\/\S+)$/.exec(head)?.[1];
  if (ref === undefined) return head;
  const packed = textOf(join(folder, ".git", "packed-refs")).split("\n");
  return (
    textOf(join(folder, ".git", ref)) ||
    (packed.find((line) => line.endsWith(` ${ref}`))?.split(" ")[0] ?? "")
  );
}

/** Reads the version from package.json, and the commit from the file `commit` of an image or from a clone. */
export function buildIn(folder: string): Build {
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Build;
  const commit = textOf(join(folder, "commit")) || checkedOut(folder);
  return { version, commit: commitPattern.test(commit) ? commit : undefined };
}

/** Read once: a clone may be updated while its processes run the former files. */
export const build: Build = buildIn(root);

export const thisProcess: ProcessAbout = {
  ...build,
  name: `${hostname()}-${process.pid}`,
  since: Math.round(Date.now() - process.uptime() * 1000),
};

/** The name of one process for controls: one that starts later with the same id is another. */
export const instanceOf = ({ name, since }: Pick<ProcessAbout, "name" | "since">): string =>
  `${name}@${since}`;

/** "0.2.0 (1a2b3c4)", or "unknown" for a process of a release that did not say. */
export function buildText(one: Build | undefined): string {
  if (!one) return "unknown";
  return one.commit === undefined ? one.version : `${one.version} (${one.commit.slice(0, 7)})`;
}

/** Processes by their build, the most frequent first: more than one is a mixed fleet. */
export function fleetOf(
  processes: readonly { role: string; about?: Build | undefined }[],
): { build: string; roles: string }[] {
  return [...Map.groupBy(processes, ({ about }) => buildText(about))]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([text, some]) => ({
      build: text,
      roles: [...Map.groupBy(some, ({ role }) => role)]
        .map(([role, found]) => `${found.length} ${role}`)
        .join(", "),
    }));
}
