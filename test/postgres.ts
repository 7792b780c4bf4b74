import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { DataFolder } from "../local/data-folder.ts";
import { postgresPart } from "../local/postgres.ts";
import { Supervised } from "../local/supervisor.ts";

/** A Postgres of the test's own, which may be treated badly. */
export interface TestPostgres {
  url: string;
  /** Ends it as `pg_ctl stop -m immediate` does, and starts it again a second later. */
  crash(): Promise<void>;
  /** Stops every process of it; the returned function lets them go on. */
  freeze(): Promise<() => void>;
  stop(): Promise<void>;
}

export async function startPostgres(): Promise<TestPostgres> {
  const dir = fs.mkdtempSync(join(tmpdir(), "gateway-test-"));
  fs.chmodSync(dir, 0o711);
  const folder = await DataFolder.open(dir);
  const { url, plan } = await postgresPart(folder, {});
  if (!plan) throw new Error("no Postgres of our own");
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

  return {
    url,
    async crash() {
      const pid = server.pid as number;
      server.kill();
      while (isAlive(pid)) await sleep(20);
      await sleep(1000);
      server = await start();
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

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
