import { availableParallelism, hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Machine } from "../../worker/machine.ts";

test("a machine tells how busy it is, and how much of that is this process", async () => {
  const machine = new Machine();
  expect(machine.read()).toEqual({});
  const until = performance.now() + 1500;
  while (performance.now() < until) Math.sqrt(performance.now());
  await sleep(700);
  const { machine: load } = machine.read();
  expect(load).toMatchObject({ host: hostname(), process: `${hostname()}-${process.pid}` });
  expect(load?.own_processors).toBeGreaterThan(0.02);
  expect(load?.busy_processors).toBeGreaterThan(0.02);
  expect(load?.busy_processors).toBeLessThan(availableParallelism() + 0.5);
  expect(load?.memory_used).toBeGreaterThan(0);
  expect(load?.memory).toBeGreaterThan(load?.memory_used ?? Infinity);
  // Pools of one process that ask soon after get the same.
  expect(machine.read().machine).toBe(load);
});
