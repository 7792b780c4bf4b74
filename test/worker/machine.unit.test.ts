import { spawn } from "node:child_process";
import { availableParallelism, hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { MachineLoad } from "../../runtime/queue.ts";
import { Machine } from "../../worker/machine.ts";

test("a machine reports how busy it is, and this process's share", async () => {
  const machine = new Machine();
  expect(machine.read()).toEqual({});
  // Child processes count as well.
  const child = spawn(process.execPath, ["-e", "for (;;);"]);
  let load: MachineLoad | undefined;
  // Both processes give way to other tests, so a first interval can pass without a processor.
  while ((load?.own_processors ?? 0) <= 0.02) {
    await sleep(2200);
    load = machine.read().machine;
  }
  expect(load).toMatchObject({ host: hostname(), process: `${hostname()}-${process.pid}` });
  expect(load?.own_processors).toBeGreaterThan(0.02);
  expect(load?.busy_processors).toBeGreaterThan(0.02);
  expect(load?.busy_processors).toBeLessThan(availableParallelism() + 0.5);
  expect(load?.memory_used).toBeGreaterThan(0);
  expect(load?.memory).toBeGreaterThan(load?.memory_used ?? Infinity);
  child.kill("SIGKILL");
  // Pools of one process that read soon afterwards get the same value.
  expect(machine.read().machine).toBe(load);
});
