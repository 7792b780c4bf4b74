import { once } from "node:events";
import { type AddressInfo, connect as connectTo, createServer } from "node:net";
import { expect, test } from "vitest";
import { createAccount } from "../../db/accounts.ts";
import { connect } from "../../db/client.ts";
import { createKey, findKey } from "../../db/keys.ts";
import { testDatabase } from "../database.ts";
import { PostgresProtocol } from "../faults/fates/postgres-relay.ts";

const dataRow = "D".charCodeAt(0);

/** A proxy of Postgres that leaves the rows out of as many answers as it is told. */
async function startRowThief(url: string) {
  let answers = 0;
  const { hostname, port } = new URL(url);
  const server = createServer((client) => {
    const postgres = connectTo(Number(port), hostname);
    const protocol = new PostgresProtocol();
    client.pipe(postgres);
    postgres.on("data", (bytes) => {
      for (const reply of protocol.replies(bytes)) {
        if (answers === 0 || reply.bytes[0] !== dataRow) client.write(reply.bytes);
        else answers -= 1;
      }
    });
    for (const [from, to] of [
      [client, postgres],
      [postgres, client],
    ] as const) {
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  return {
    url: own.href,
    steal: (count: number) => (answers = count),
    stop: () => server.close(),
  };
}

test("a look-up of a key whose row got lost is made again; a key that is not there has no row", async () => {
  await using stack = new AsyncDisposableStack();
  const db = await testDatabase();
  stack.defer(() => db.drop());
  const pepper = "a pepper for tests";
  const { id } = await createKey(db, pepper, {
    accountId: await createAccount(db, "somebody"),
    mode: "live",
  });
  const thief = await startRowThief(db.url);
  stack.defer(() => void thief.stop());
  const own = connect(thief.url, { max: 1 });
  stack.defer(() => own.close());

  expect(await findKey(own, "nobody00")).toBeUndefined();
  expect(await findKey(own, id)).toMatchObject({ id, valid: true });
  thief.steal(3);
  expect(await findKey(own, id)).toMatchObject({ id, valid: true });
  thief.steal(1000);
  await expect(findKey(own, id)).rejects.toMatchObject({ code: "unavailable" });
});
