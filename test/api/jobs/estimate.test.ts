import { afterAll, beforeAll, expect, test } from "vitest";
import { backlinksEnv, backlinksPath } from "../../faults/cases.ts";
import { Gateway, until } from "../../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../../upstream/spawn.ts";
import { type Job, cancel, submit, inState, result, show } from "./caller.ts";

/** Time that the upstream takes for each call, sequentially. */
const serviceMs = 400;

let upstream: SpawnedSimulator;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({
    pools: "seo",
    env: { ...backlinksEnv(upstream), WORKER_SLOTS: "1" },
    shorter: ["heartbeats"],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const answersIn = (ms: number) =>
  upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms } });

test("a queued job reports its position and estimated wait, and both fall", async () => {
  const { key } = await gateway.key({ credits: 100 });
  const submitTarget = async (target: string) => {
    const body = { target: `${target}.example.com`, limit: 1 };
    const submitted = await submit(gateway, key, { path: "/seo/backlinks/list", body });
    expect(submitted.status, submitted.text).toBe(202);
    return submitted.body.data.request_id;
  };
  const statusOf = async (id: string): Promise<Job> => (await show(gateway, key, id)).body.data;

  await answersIn(serviceMs);
  expect((await result(gateway, key, await submitTarget("known"), 60)).status).toBe(200);
  // A call longer than this whole test holds the only slot meanwhile.
  await answersIn(120_000);
  const first = await submitTarget("first");
  await inState(gateway, key, first, ["running"]);
  const waiting: string[] = [];
  for (const target of ["a", "b", "c", "d", "e", "f"]) waiting.push(await submitTarget(target));
  const last = waiting.at(-1) as string;
  // Workers report from time to time how long their jobs take.
  await until(async () => (await statusOf(last)).estimated_wait_seconds !== undefined);

  const states = await Promise.all(waiting.map(statusOf));
  expect(states.map(({ state, position }) => ({ state, position }))).toEqual(
    [1, 2, 3, 4, 5, 6].map((position) => ({ state: "queued", position })),
  );
  const estimates = states.map((job) => job.estimated_wait_seconds as number);
  expect(estimates).toEqual(estimates.toSorted((a, b) => a - b));
  const [next = 0] = estimates;
  const longest = estimates.at(-1) as number;
  expect(longest).toBeGreaterThanOrEqual(Math.ceil((6 * serviceMs) / 1000));
  expect(longest).toBeLessThanOrEqual(6 * next);

  for (const id of waiting.slice(0, 3)) expect((await cancel(gateway, key, id)).status).toBe(200);
  let nearer = await statusOf(last);
  await until(async () => (nearer = await statusOf(last)).position === 3);
  expect(nearer.estimated_wait_seconds).toBeLessThan(longest);
  expect(nearer.estimated_wait_seconds).toBeGreaterThanOrEqual(Math.ceil((3 * serviceMs) / 1000));

  await answersIn(serviceMs);
  const from = Date.now();
  expect((await cancel(gateway, key, first)).status).toBe(200);
  const { started_at: startedAt, ...ended } = await inState(
    gateway,
    key,
    last,
    ["succeeded"],
    60_000,
  );
  expect(ended).not.toHaveProperty("position");
  expect(ended).not.toHaveProperty("estimated_wait_seconds");
  const tookSeconds = (Date.parse(startedAt as string) - from) / 1000;
  const estimate = nearer.estimated_wait_seconds as number;
  console.log(`estimated ${estimate} s, taken after ${tookSeconds} s`);
  // A busy machine lengthens both the earlier measurement and this one.
  expect(tookSeconds).toBeLessThan(10 * estimate);
  expect(estimate).toBeLessThan(10 * Math.max(1, tookSeconds));
});
