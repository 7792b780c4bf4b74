import { afterAll, beforeAll, expect, test } from "vitest";
import { createSealer } from "../../api/webhooks/signing.ts";
import { accountNamed } from "../../db/accounts.ts";
import { addWebhookEndpoint } from "../../db/webhook-endpoints.ts";
import { emitWebhooks, takeWebhooks } from "../../db/webhooks.ts";
import { testDatabase } from "../database.ts";
import type { TestDatabase } from "../database.ts";
import { cli, cliJson, cliProcess, pepper } from "./cli.ts";

const endpoint = `whe_${"1".repeat(32)}`;
let db: TestDatabase;
let env: Record<string, string>;
let delivery: string;

beforeAll(async () => {
  db = await testDatabase();
  env = { DATABASE_URL: db.url, KEY_PEPPER: pepper };
  await cliJson(["accounts", "create", "told"], env);
  const accountId = (await accountNamed(db, "told"))?.id as number;
  const owner = { accountId, mode: "live" } as const;
  const secret = createSealer(pepper).seal("whsec_b25l", endpoint);
  const url = "https://a.example/hook";
  const events = ["job.ended"];
  await addWebhookEndpoint(db, owner, { id: endpoint, url, description: "", events, secret });
  await emitWebhooks(db, [{ ...owner, type: "job.ended", subject: "svc_1", data: {} }]);
  const [row] = await db.sql<{ id: string }[]>`select id from webhook_deliveries`;
  delivery = row?.id as string;
});
afterAll(() => db.drop());

test("endpoints and deliveries are listed, for people and for programs", async () => {
  const people = await cliProcess(["webhooks", "list", "--account", "told"], env);
  expect(people.stdout).toMatch(
    /whe_1{32} +live +on +1 +0 +https:\/\/a\.example\/hook +job\.ended/,
  );
  const log = await cliJson(["webhooks", "deliveries", endpoint, "--state", "pending"], env);
  expect(log.json).toMatchObject({ deliveries: [{ id: delivery, state: "pending", attempts: 0 }] });
});

test("an endpoint is switched off and on, and a delivery replayed", async () => {
  await cliJson(["webhooks", "disable", endpoint], env);
  const off = await cliJson(["webhooks", "list", "--account", "told"], env);
  expect(off.json).toMatchObject({ endpoints: [{ off: { reason: "owner" }, pending: 0 }] });
  expect((await cli(["webhooks", "replay", endpoint, delivery], env)).code).toBe(1);
  await cliJson(["webhooks", "enable", endpoint], env);
  await cliJson(["webhooks", "replay", endpoint, delivery], env);
  const due = await takeWebhooks(db, { perLane: 1, atMost: 1, leaseMs: 60_000 });
  expect(due).toMatchObject([{ delivery, attempt: 1 }]);
});

test("a rotated secret works for the API, and the former one is kept", async () => {
  const { json } = await cliJson<{ secret: string }>(["webhooks", "rotate", endpoint], env);
  const [row] = await db.sql<{ secret: Buffer; former_secret: Buffer }[]>`
    select secret, former_secret from webhook_endpoints`;
  const sealer = createSealer(pepper);
  expect(sealer.open(row?.secret as Buffer, endpoint)).toBe(json.secret);
  expect(sealer.open(row?.former_secret as Buffer, endpoint)).toBe("whsec_b25l");
  expect(() => sealer.open(row?.secret as Buffer, `whe_${"2".repeat(32)}`)).toThrow();
});

test("an unknown id is named", async () => {
  const unknown = await cli(["webhooks", "deliveries", `whe_${"0".repeat(32)}`], env);
  expect(unknown).toMatchObject({ code: 1 });
  expect(unknown.stderr).toContain("There is no webhook endpoint");
});
