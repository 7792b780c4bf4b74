import { afterAll, beforeAll, expect, test } from "vitest";
import { Gateway } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv } from "./cases.ts";

let upstream: SpawnedSimulator;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({ env: backlinksEnv(upstream) });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

test.each([59_000, 90_000, -90_000])("a worker whose clock is %s ms off works", async (shift) => {
  const hook = new URL("shifted-clock.ts", import.meta.url).href;
  const worker = await gateway.startWorker({
    WORKER_POOLS: "seo",
    NODE_OPTIONS: `--import ${hook}`,
    CLOCK_SHIFT_MS: String(shift),
  });
  gateway.workers.pop();
  const { key } = await gateway.key();
  const names = Array.from({ length: 10 }, (_, index) => `clock${shift}x${index}`);
  const answers = await Promise.all(names.map((name) => backlinks(gateway, key, name)));
  expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
  await worker.kill("SIGTERM");
});
