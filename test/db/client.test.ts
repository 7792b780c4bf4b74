import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { connect } from "../../db/client.ts";
import { testDatabase } from "../database.ts";
import { besideMs } from "../faults/full.ts";

const open: Server[] = [];
const sockets = new Set<Socket>();

async function serverThat(behaves: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    behaves(socket);
  });
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `postgres://nobody@127.0.0.1:${(server.address() as AddressInfo).port}/none`;
}

afterAll(() => {
  for (const socket of sockets) socket.destroy();
  for (const server of open) server.close();
});

describe.concurrent("an outage is reported within 2.5 s", () => {
  const outages: [string, () => Promise<string>][] = [
    ["nothing listens", async () => "postgres://nobody@127.0.0.1:1/none"],
    ["the server closes at once", () => serverThat((socket) => socket.destroy())],
    ["the server is silent", () => serverThat(() => {})],
  ];
  test.for(outages)("%s", async ([, address], { expect }) => {
    const db = connect(await address(), { max: 2 });
    const started = Date.now();
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, () => db.answer(db.sql`select 1`)),
    );
    expect(Date.now() - started).toBeLessThan(2500 + besideMs);
    for (const answer of answers)
      expect(answer).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
    await db.close();
  });

  test("a locked row", async ({ expect }) => {
    const db = await testDatabase();
    try {
      await db.sql`insert into accounts (name) values ('locked')`;
      await db.sql.begin(async (sql) => {
        await sql`select 1 from accounts for update`;
        const started = Date.now();
        await expect(db.answer(db.sql`select 1 from accounts for update`)).rejects.toMatchObject({
          code: "unavailable",
        });
        expect(Date.now() - started).toBeLessThan(2500 + besideMs);
      });
    } finally {
      await db.drop();
    }
  });
});

test("a mistake in a statement is not an outage", async () => {
  const db = await testDatabase();
  try {
    await expect(db.answer(db.sql`select nothing`)).rejects.toMatchObject({ code: "42703" });
  } finally {
    await db.drop();
  }
});

test("a session has the limits of statements and locks, and compiles nothing", async () => {
  const db = await testDatabase({ statementTimeoutMs: 7000 });
  try {
    const shown = await db.sql<{ name: string; setting: string }[]>`
      select name, setting from pg_settings
      where name in ('statement_timeout', 'lock_timeout', 'jit') order by name`;
    expect(shown.map(({ name, setting }) => [name, setting])).toEqual([
      ["jit", "off"],
      ["lock_timeout", "2000"],
      ["statement_timeout", "7000"],
    ]);
  } finally {
    await db.drop();
  }
});
