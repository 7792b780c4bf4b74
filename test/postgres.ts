import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { DataFolder } from "../local/data-folder.ts";
import { postgresPart } from "../local/postgres.ts";
import { run } from "../local/process.ts";
import { type Plan, Supervised } from "../local/supervisor.ts";

/** A Postgres of the test's own, which tests may crash or freeze. */
export interface TestPostgres {
  url: string;
  /** Stops it like `pg_ctl stop -m immediate`, and starts it again a second later. */
  crash(): Promise<void>;
  /** Pauses all of its processes; the returned function resumes them. */
  freeze(): Promise<() => void>;
  /** Stops it like `systemctl stop`; the returned function starts it again. */
  shutDown(): Promise<() => Promise<void>>;
  /** Stops it for good like `pg_ctl stop -m immediate`. */
  kill(): Promise<void>;
  /** Its data folder. */
  dir: string;
  stop(): Promise<void>;
}

/**
 * `settings` go to its command line. `tinyDisk` mounts a file system of so many megabytes that only
 * this server sees, for a tablespace that fills up.
 */
export async function startPostgres(
  options: {
    settings?: string[];
    tinyDisk?: { path: string; megabytes: number };
    /** The new server begins as a copy of this one and follows it, with the same password. */
    standbyOf?: TestPostgres;
  } = {},
): Promise<TestPostgres> {
  const dir = fs.mkdtempSync(join(tmpdir(), "gateway-test-"));
  fs.chmodSync(dir, 0o711);
  const { standbyOf } = options;
  if (standbyOf) fs.copyFileSync(join(standbyOf.dir, "secrets.json"), join(dir, "secrets.json"));
  const folder = await DataFolder.open(dir);
  const part = await postgresPart(folder, {}, options.settings);
  const { url } = part;
  if (!part.plan) throw new Error("no Postgres of our own");
  if (standbyOf) await copyOf(standbyOf.url, part.plan);
  const plan = options.tinyDisk ? mounted(part.plan, options.tinyDisk) : part.plan;
  const start = async () => {
    const started = new Supervised(plan, folder, () => {});
    started.spawn();
    await started.ready();
    return started;
  };
  let server = await start();

  async function backends(): Promise<number[]> {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const rows = await sql<{ pid: number }[]>`
      select pid from pg_stat_activity where pid <> pg_backend_pid()`;
    await sql.end();
    return rows.map(({ pid }) => pid);
  }

  async function kill(): Promise<void> {
    const pid = server.pid as number;
    server.kill();
    while (isAlive(pid)) await sleep(20);
  }

  return {
    url,
    dir,
    kill,
    async crash() {
      await kill();
      await sleep(1000);
      server = await start();
    },
    async shutDown() {
      await server.stop();
      return async () => {
        server = await start();
      };
    },
    async freeze() {
      const all = [...(await backends()), server.pid as number];
      for (const pid of all) process.kill(pid, "SIGSTOP");
      return () => {
        for (const pid of all) process.kill(pid, "SIGCONT");
      };
    },
    async stop() {
      await server.stop();
      folder.close();
      fs.rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Replaces a new server's data by a base backup, set up to follow. */
async function copyOf(url: string, plan: Plan): Promise<void> {
  const program = plan.argv.findIndex((word) => word.endsWith("/postgres"));
  const data = plan.argv[plan.argv.indexOf("-D") + 1] as string;
  fs.rmSync(data, { recursive: true });
  const backup = join(dirname(plan.argv[program] as string), "pg_basebackup");
  const how = ["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast"];
  const argv = [...plan.argv.slice(0, program), backup, "-d", url, "-D", data, ...how];
  const { ok, output } = await run({ ...plan, argv: argv as [string, ...string[]] }, 240_000);
  if (!ok) throw new Error(`no base backup: ${output}`);
}

/**
 * Limits each later session of a server to so many megabytes. Returns a function that lifts the
 * limit for all of them.
 */
export async function scarceMemory(url: string, megabytes: number): Promise<() => Promise<void>> {
  const pids = async () => {
    const sql = postgres(url, { max: 1, onnotice: () => {} });
    const rows = await sql<{ pid: number }[]>`select pid from pg_stat_activity`;
    await sql.end();
    return rows.map(({ pid }) => pid);
  };
  const [one = 0] = await pids();
  // Sessions are children of the server, and so is its last background process.
  const stat = fs.readFileSync(`/proc/${one}/stat`, "utf8");
  const server = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  const size = /^VmSize:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${server}/status`, "utf8"));
  const limit = (pid: number, bytes: number | string) =>
    spawnSync("prlimit", ["--pid", String(pid), `--as=${bytes}:unlimited`]).status === 0;
  if (!limit(server, Number(size?.[1]) * 1024 + megabytes * 1024 * 1024))
    throw new Error("no memory could be taken away");
  return async () => {
    limit(server, "unlimited");
    for (const pid of await pids()) limit(pid, "unlimited");
  };
}

/** False only on macOS, where running processes cannot be limited. */
export const canLimit = spawnSync("prlimit", ["--version"]).status === 0;

/** An ordinary user may mount as root in a separate namespace, but Postgres refuses root. */
const isRoot = process.getuid?.() === 0;
const mounting = ["unshare", "--mount", ...(isRoot ? [] : ["--user", "--map-root-user"])] as const;
const ordinary = isRoot ? [] : ["unshare", "--user", "--map-user=1000", "--map-group=1000"];

/** False, with a loud message, only where this user gets no mount namespace. */
export const canMount =
  spawnSync(mounting[0], [...mounting.slice(1), "mount", "-t", "tmpfs", "none", tmpdir()])
    .status === 0;
if (!canMount) {
  process.stderr.write("\n!!! NOT TESTED: nothing can be mounted here, so no disk can be full\n\n");
}

function mounted(plan: Plan, disk: { path: string; megabytes: number }): Plan {
  const mount = `mount -t tmpfs -o size=${disk.megabytes}m,mode=777 none "${disk.path}" && exec "$@"`;
  return { ...plan, argv: [...mounting, "sh", "-c", mount, "sh", ...ordinary, ...plan.argv] };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
