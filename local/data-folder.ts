import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { SettingsError } from "../runtime/settings.ts";
import { endProcess, freePort, identify, isPortFree, isRunning } from "./process.ts";
import type { ProcessId } from "./process.ts";
import { LocalProblem } from "./problem.ts";

/** The data folder of a local gateway: databases, secrets, ports, logs. */

export interface Secrets {
  postgresPassword: string;
  redisPassword: string;
  keyPepper: string;
  cursorSecret: string;
  dashboardsUser: string;
  dashboardsPassword: string;
}

/** Addresses of a running gateway; the file exists only while it runs. */
export interface Running {
  databaseUrl: string;
  redisUrl: string;
  apiUrl: string;
  dashboardsUrl: string;
}

interface Kept extends ProcessId {
  name: string;
  stopSignal: NodeJS.Signals;
}

/** `DATA_DIR`; default: `.data` in the checkout. Throws SettingsError for a blank one. */
export function dataDir(env: NodeJS.ProcessEnv = process.env): string {
  const named = env["DATA_DIR"] || join(import.meta.dirname, "..", ".data");
  if (named.trim() === "") throw new SettingsError("DATA_DIR: a path (it is blank)");
  return resolve(named);
}

/** Codes of a write without room: on the disk, or in the user's quota. */
const fullDisk = new Set(["ENOSPC", "EDQUOT"]);

/** A second copy of secrets.json, for the case that it is damaged. */
const secretsCopy = "secrets.copy.json";

function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8")) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
}

function writeJson(file: string, value: unknown): void {
  const draft = `${file}.${process.pid}.draft`;
  // Without the flush a power cut after the rename can leave an empty file.
  fs.writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  fs.renameSync(draft, file);
}

/** The running gateway of a data folder; undefined when none runs there. */
export function readRunning(dir: string): Running | undefined {
  const owner = readJson<ProcessId>(join(dir, "owner.json"));
  if (owner === undefined || !isRunning(owner)) return undefined;
  return readJson<Running>(join(dir, "running.json"));
}

/** Secrets of a data folder; undefined before its first start. Throws LocalProblem where the file is damaged. */
export function readSecrets(dir: string): Secrets | undefined {
  const file = join(dir, "secrets.json");
  const secrets = readJson<Secrets>(file);
  if (typeof secrets?.keyPepper === "string") return secrets;
  if (!fs.existsSync(file)) return undefined;
  // New secrets would neither open the databases nor accept the keys that were issued.
  const copy = join(dir, secretsCopy);
  const remedy = fs.existsSync(copy)
    ? `run \`cp ${copy} ${file}\`, then start again`
    : `restore it from a backup of the folder, or run \`mv ${dir} ${dir}.damaged\` to start without accounts and with new keys`;
  throw new LocalProblem(
    `The file ${file} is damaged; it has the passwords of the databases and the pepper of the keys: ${remedy}.`,
  );
}

export class DataFolder {
  readonly dir: string;
  private kept: Kept[] = [];

  private constructor(dir: string) {
    this.dir = dir;
  }

  /** Locks the folder for this process, and stops processes that a killed predecessor left running. */
  static async open(dir: string): Promise<DataFolder> {
    const folder = new DataFolder(dir);
    try {
      // Others may traverse but not list the folder: Postgres may have to run as another user.
      fs.mkdirSync(dir, { recursive: true, mode: 0o711 });
      fs.mkdirSync(join(dir, "logs"), { recursive: true, mode: 0o700 });
      fs.accessSync(dir, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
      folder.lock();
      await folder.stopLeftovers();
      return folder;
    } catch (error) {
      if (error instanceof LocalProblem) throw error;
      const { code } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      const remedy = fullDisk.has(code) ? "free some of its disk" : "change its owner";
      throw new LocalProblem(
        `The data folder ${dir} cannot be read and written (${code}): ${remedy}, or name another folder in DATA_DIR.`,
        { cause: error },
      );
    }
  }

  path(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  log(name: string): string {
    const file = this.path("logs", `${name}.log`);
    const stats = fs.statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined && stats.size > 20 * 1024 * 1024) fs.renameSync(file, `${file}.1`);
    return file;
  }

  private lock(): void {
    const file = this.path("owner.json");
    const mine = identify(process.pid);
    for (let attempt = 0; attempt < 3; attempt++) {
      const draft = `${file}.${process.pid}`;
      try {
        fs.writeFileSync(draft, JSON.stringify(mine), { mode: 0o600 });
        fs.linkSync(draft, file);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      } finally {
        fs.rmSync(draft, { force: true });
      }
      const owner = readJson<ProcessId>(file);
      if (owner !== undefined && isRunning(owner)) {
        throw new LocalProblem(
          `The data folder ${this.dir} is in use by a gateway that is already running (process ${owner.pid}): stop it, or name another folder in DATA_DIR and other ports in PORT and DASHBOARDS_PORT.`,
        );
      }
      fs.rmSync(file, { force: true });
    }
    throw new LocalProblem(`Another start is locking the data folder ${this.dir} right now.`);
  }

  private async stopLeftovers(): Promise<void> {
    fs.rmSync(this.path("running.json"), { force: true });
    const left = (readJson<Kept[]>(this.path("processes.json")) ?? []).filter(isRunning);
    // Processes stop in reverse order of their start, as in an orderly stop.
    for (const process of left.toReversed()) {
      await endProcess(process, process.stopSignal, 10_000);
    }
    this.kept = [];
    this.writeKept();
  }

  private writeKept(): void {
    writeJson(this.path("processes.json"), this.kept);
  }

  /** Records a process, so that the next start can stop it if this start is killed. */
  keep(name: string, pid: number, stopSignal: NodeJS.Signals): ProcessId | undefined {
    const id = identify(pid);
    this.kept = this.kept.filter((kept) => kept.name !== name);
    if (id) this.kept.push({ name, stopSignal, ...id });
    this.writeKept();
    return id;
  }

  forget(name: string): void {
    this.kept = this.kept.filter((kept) => kept.name !== name);
    this.writeKept();
  }

  secrets(): Secrets {
    const old = readSecrets(this.dir);
    const secret = () => randomBytes(32).toString("base64url");
    const secrets: Secrets = {
      postgresPassword: secret(),
      redisPassword: secret(),
      keyPepper: secret(),
      cursorSecret: secret(),
      dashboardsUser: "operator",
      dashboardsPassword: randomBytes(12).toString("base64url"),
      ...old,
    };
    if (old === undefined) writeJson(this.path("secrets.json"), secrets);
    if (!fs.existsSync(this.path(secretsCopy))) writeJson(this.path(secretsCopy), secrets);
    return secrets;
  }

  /** The port of a part's last run if it is still free, or else a new one. */
  async port(name: string): Promise<number> {
    const file = this.path("ports.json");
    const ports = readJson<Record<string, number>>(file) ?? {};
    const last = ports[name];
    if (last !== undefined) {
      for (let attempt = 0; attempt < 5; attempt++) {
        if (await isPortFree(last)) return last;
        await sleep(100);
      }
    }
    const port = await freePort();
    writeJson(file, { ...ports, [name]: port });
    return port;
  }

  announce(running: Running): void {
    writeJson(this.path("running.json"), running);
  }

  /** Releases the lock of the folder. */
  close(): void {
    fs.rmSync(this.path("running.json"), { force: true });
    if (this.kept.length === 0) fs.rmSync(this.path("processes.json"), { force: true });
    fs.rmSync(this.path("owner.json"), { force: true });
  }
}
