import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findInPath } from "../../local/process.ts";
import { type Job, type JobAnswer, search } from "../api/jobs/caller.ts";
import { commandsOf, readDocument } from "../documents.ts";
import { type Envelope, Gateway, until } from "../gateway.ts";

let gateway: Gateway;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "gateway-restore-"));
  gateway = await Gateway.start({ pools: "social" });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

/** Runs the commands of docs/backup.md that begin with one of these programs. */
async function run(...of: string[]): Promise<void> {
  const url = new URL(gateway.redis.url);
  url.username = "default";
  const env = { ...process.env, DATABASE_URL: gateway.db.url, REDIS_URL: url.href };
  const commands = commandsOf("docs/backup.md", readDocument("docs/backup.md"))
    .map(({ text }) => text)
    .filter((text) => of.some((program) => text.startsWith(`${program} `)));
  expect(commands).toHaveLength(of.length);
  for (const command of commands)
    await promisify(execFile)("sh", ["-ec", command], { env, cwd: folder });
}

async function stopProcesses(): Promise<void> {
  const all = [...gateway.apis.splice(0).map((api) => api.process), ...gateway.workers.splice(0)];
  for (const { child } of all) child.kill("SIGTERM");
  await Promise.all(all.map(({ ended }) => ended));
}

const programs = ["pg_dump", "psql", "pg_restore", "redis-cli"];
const isInstalled = programs.every((program) => findInPath(program) !== undefined);

test.skipIf(!isInstalled)(
  "after docs/backup.md jobs of the dump run again and are charged once, and the books add up",
  async () => {
    const { key, accountId } = await gateway.key({ mode: "test", credits: 1000 });
    const submit = async () => {
      const headers = { prefer: "respond-async", "svc-test-scenario": "slow" };
      const { status, text, body } = await gateway.call<JobAnswer>(key, "GET", search, { headers });
      expect(status, text).toBe(202);
      return body.request_id;
    };
    const stateOf = async (id: string) =>
      (await gateway.call<Envelope<Job>>(key, "GET", `/jobs/${id}`)).body.data.state;
    const states = (ids: string[]) => Promise.all(ids.map(stateOf));
    const hasEnded = async (ids: string[]) =>
      (await states(ids)).every((state) => !["queued", "running"].includes(state));

    const ids = await Promise.all([1, 2, 3, 4].map(submit));
    await run("pg_dump");
    await until(() => hasEnded(ids));
    expect(await states(ids)).toEqual(ids.map(() => "succeeded"));
    const charged = await gateway.balance(accountId, "test");
    await stopProcesses();

    await run("psql", "pg_restore", "redis-cli");
    const [first, ...others] = ids as [string, ...string[]];
    // As in a dump of an hour ago.
    await gateway.db.sql`
    update holds set deadline = deadline - interval '1 hour', created_at = created_at - interval '1 hour'
    where id = ${first}`;
    await gateway.db.sql`
    update jobs set created_at = created_at - interval '1 hour' where request_id = ${first}`;
    await Promise.all([gateway.startApi(), gateway.startWorker({ WORKER_POOLS: "social" })]);
    await until(() => hasEnded(ids));
    expect(await stateOf(first)).toBe("failed");
    expect(await states(others)).toEqual(others.map(() => "succeeded"));
    const price = (1000 - charged.balance) / ids.length;
    expect(await gateway.balance(accountId, "test")).toEqual({
      balance: charged.balance + price,
      held: 0,
    });
    expect(await gateway.violations()).toEqual([]);
  },
);
