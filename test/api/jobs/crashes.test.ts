import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { Gateway } from "../../gateway.ts";
import { ask, handIn, result } from "./caller.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await Gateway.start({ pools: "social" });
}, 120_000);
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(() => gateway.stop());

const points = full
  ? ["after_reserve", "after_enqueue", "after_result", "after_settle", "before_write"]
  : ["after_reserve", "after_settle"];

test("a job whose process dies at any point is carried out by another and charged once", async () => {
  // A failure, too, must be noted before it is forgotten.
  const deaths = [
    ...points.map((point) => ({ point, scenario: {} })),
    { point: "before_write", scenario: { scenario: "response_shape_error" } },
  ];
  const doomed: typeof gateway.apis = [];
  for (const { point } of deaths) doomed.push(await gateway.startApi({ FAULT_POINT: point }));
  // None takes over what another leaves: all are gone by then.
  gateway.apis.splice(1);
  await Promise.all(
    deaths.map(async ({ point, scenario }, index) => {
      const { url, process } = doomed[index] as (typeof doomed)[0];
      const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
      await handIn(gateway, key, { url, ...scenario }).catch(() => undefined);
      await process.ended;
      const rows = await gateway.db.sql<{ id: string }[]>`
        select request_id as id from jobs where account_id = ${accountId}`;
      expect(rows, point).toHaveLength(1);
      const id = rows[0]?.id as string;
      const answer = await result(gateway, key, id, 60);
      expect((await result(gateway, key, id)).text).toBe(answer.text);
      if ("scenario" in scenario) {
        expect(answer.status, answer.text).toBe(502);
        expect(answer.body.error).toMatchObject({ type: "response_shape_error", request_id: id });
        expect(await gateway.balance(accountId, "test")).toEqual({ balance: 100, held: 0 });
        return;
      }
      expect(answer.status, point + answer.text).toBe(200);
      expect(await gateway.balance(accountId, "test")).toEqual({ balance: 97, held: 0 });
      const { data, billing } = answer.body;
      expect(billing.credits_charged).toBe(3);
      expect((await ask(gateway, key)).body.data).toEqual(data);
    }),
  );
});

test("jobs that every process left behind are carried out by the next one that starts", async () => {
  const { key, accountId } = await gateway.key({ mode: "test", credits: 100 });
  const { request_id: id } = (await handIn(gateway, key, { scenario: "slow" })).body.data;
  const [only] = gateway.apis.splice(0);
  await only?.process.kill("SIGKILL");
  await gateway.startApi();
  const answer = await result(gateway, key, id, 60);
  expect(answer.status, answer.text).toBe(200);
  expect(await gateway.balance(accountId, "test")).toEqual({ balance: 97, held: 0 });
});
