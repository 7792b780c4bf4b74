import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DataFolder } from "../../local/data-folder.ts";
import { postgresPart, postgresVersion } from "../../local/postgres.ts";
import type { PostgresPart } from "../../local/postgres.ts";
import { Supervised } from "../../local/supervisor.ts";

let folders: DataFolder[];
let started: Supervised[];

beforeEach(() => {
  folders = [];
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((service) => service.stop()));
  for (const folder of folders) {
    folder.close();
    fs.rmSync(folder.dir, { recursive: true, force: true });
  }
});

async function newFolder(): Promise<DataFolder> {
  const folder = await DataFolder.open(fs.mkdtempSync(join(tmpdir(), "gateway-postgres-")));
  folders.push(folder);
  return folder;
}

async function up(part: PostgresPart, folder: DataFolder): Promise<Supervised> {
  if (!part.plan) throw new Error("This Postgres is somebody else's.");
  const service = new Supervised(part.plan, folder, () => {});
  started.push(service);
  service.spawn();
  await service.ready();
  return service;
}

async function ask(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}

test("two side by side, data kept over a restart, other users kept out", async () => {
  const [one, two] = await Promise.all([newFolder(), newFolder()]);
  const [first, second] = await Promise.all([postgresPart(one, {}), postgresPart(two, {})]);
  const [service] = await Promise.all([up(first, one), up(second, two)]);
  expect(first.url).not.toBe(second.url);
  await ask(first.url, "create table kept as select 7 as value");
  expect(await ask(second.url, "select to_regclass('kept') as found")).toEqual([{ found: null }]);
  const stranger = new URL(first.url);
  stranger.password = "guessed";
  await expect(postgresVersion(stranger.href)).rejects.toThrow(/password authentication failed/);
  await service.stop();
  await up(await postgresPart(one, {}), one);
  expect(await ask(first.url, "select value from kept")).toEqual([{ value: 7 }]);
});

test("data of an unavailable version gives one sentence", async () => {
  const folder = await newFolder();
  const data = folder.path("postgres", "data");
  fs.mkdirSync(data, { recursive: true });
  fs.writeFileSync(join(data, "PG_VERSION"), "9\n");
  await expect(postgresPart(folder, {})).rejects.toThrow(/was written by Postgres 9, which is not/);
});

test("an external server is used unchanged, and an unreachable one gives one sentence", async () => {
  const folder = await newFolder();
  const url = process.env["TEST_DATABASE_URL"] as string;
  expect(await postgresPart(folder, { DATABASE_URL: url })).toEqual({
    url,
    source: "DATABASE_URL",
  });
  const port = await folder.port("nobody");
  const nobody = { DATABASE_URL: `postgres://gateway@127.0.0.1:${port}/gateway` };
  await expect(postgresPart(folder, nobody)).rejects.toThrow(
    /^The Postgres of DATABASE_URL does not answer: .*ECONNREFUSED/,
  );
});
