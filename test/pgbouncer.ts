import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneConnection } from "../db/address.ts";
import { until } from "./gateway.ts";
import { isRoot, ordinaryUserPrefix } from "../local/process.ts";
import { freePort } from "./redis-server.ts";

export const hasPgbouncer = spawnSync("pgbouncer", ["--version"]).status === 0;
if (!hasPgbouncer) process.stderr.write("\n!!! NOT TESTED: there is no pgbouncer here\n\n");

export interface TestPgbouncer {
  /** The same database's address through this pooler. */
  through(url: string): string;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * PgBouncer in transaction mode before the server of `url`, with a handful of connections to it.
 */
export async function startPgbouncer(url: string): Promise<TestPgbouncer> {
  const folder = fs.mkdtempSync(join(tmpdir(), "gateway-pgbouncer-"));
  fs.chmodSync(folder, 0o777);
  const port = await freePort();
  const { hostname, port: target, username, password } = new URL(url);
  const file = join(folder, "pgbouncer.ini");
  const lines = [
    "[databases]",
    `* = host=${hostname} port=${target} user=${username} password=${password}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    "pool_mode = transaction",
    "default_pool_size = 5",
    "max_client_conn = 200",
    "server_login_retry = 0.5",
  ];
  fs.writeFileSync(file, lines.join("\n"));
  const through = (of: string) => {
    const pooled = new URL(of);
    pooled.host = `127.0.0.1:${port}`;
    pooled.searchParams.set("pgbouncer", "true");
    return pooled.href;
  };
  // Like Postgres, it refuses to run as root.
  const prefix = isRoot() ? ((await ordinaryUserPrefix()) ?? []) : [];
  const start = async () => {
    const [program = "pgbouncer", ...args] = [...prefix, "pgbouncer", file];
    const child = spawn(program, args, { stdio: "ignore" });
    await until(async () => {
      const sql = oneConnection(through(url), 2);
      const answered = await sql`select 1`.then(
        () => true,
        () => false,
      );
      await sql.end({ timeout: 1 });
      return answered;
    });
    return child;
  };
  let running = await start();
  const stop = async () => {
    const gone = once(running, "exit");
    running.kill("SIGKILL");
    await gone;
  };
  return {
    through,
    async restart() {
      await stop();
      running = await start();
    },
    async stop() {
      await stop();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
