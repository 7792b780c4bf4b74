import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway } from "../../gateway.ts";
import { type Origin, startOrigin } from "../../origin.ts";
import { type JobAnswer, submit, result, unserved } from "./caller.ts";

/** Jobs that wait in the queue, and work that takes too long. */

let origin: Origin;
let gateway: Gateway;
beforeAll(async () => {
  origin = await startOrigin();
  gateway = await Gateway.start({
    pools: "social",
    env: { EGRESS_ALLOW: origin.address },
    api: { JOB_QUEUE_MS: "4000" },
  });
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway.stop();
  await origin.stop();
});

/** A page whose operation allows `timeout_ms` and half a minute. */
const page = (path: string) => ({
  path: "/browser/html",
  body: { url: `${origin.url}${path}`, timeout_ms: 1000 },
});

test("a job that no worker takes fails at its deadline and costs nothing", async () => {
  const { key, accountId } = await gateway.key({ credits: 10 });
  const { request_id: id } = (await submit(gateway, key, page("/never"))).body.data;
  const [hold] = await gateway.db.sql<{ ms: number }[]>`
    select extract(epoch from deadline - created_at)::float8 * 1000 as ms from holds where id = ${id}`;
  // Its time in the queue and its own time.
  expect(hold?.ms).toBeGreaterThan(4000 + 1000);
  await gateway.db.sql`
    update holds set deadline = now() + interval '1 second' where id = ${id}`;
  // The process that runs the job reads the deadline from the hold.
  const [only] = gateway.apis.splice(0);
  await only?.process.kill("SIGKILL");
  await gateway.startApi();
  const late = await result(gateway, key, id, 60);
  expect(late.status, late.text).toBe(504);
  expect(late.body.error).toMatchObject({ type: "upstream_unavailable", request_id: id });
  expect(await gateway.balance(accountId)).toEqual({ balance: 10, held: 0 });
});

test("a job is accepted into a queue that is too long for a waiting caller", async () => {
  const callers = await gateway.keys(3, { mode: "test" });
  const submitted = await Promise.all(
    callers.flatMap(({ key }) => Array.from({ length: 20 }, () => submit(gateway, key, unserved))),
  );
  // Without a worker's report four slots are assumed; forty calls may wait for them.
  expect(submitted.map(({ status }) => status)).toEqual(Array(60).fill(202));
  const waits = await gateway.call<JobAnswer>(
    callers[0]?.key,
    "GET",
    "/jobs?state=queued&limit=100",
  );
  expect(waits.body.data).toHaveLength(20);
  const more = await submit(gateway, callers[0]?.key as string, unserved);
  expect(more.status).toBe(429);
  for (const { key, accountId } of callers) {
    const { body } = await gateway.call<{ data: { request_id: string }[] }>(
      key,
      "GET",
      "/jobs?limit=100",
    );
    for (const { request_id: id } of body.data) await gateway.call(key, "DELETE", `/jobs/${id}`);
    expect(await gateway.balance(accountId, "test")).toMatchObject({ held: 0 });
  }
});
