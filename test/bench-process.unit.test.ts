import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { cpuBelow } from "../bench/process.ts";

const burnMs = 100;
/** Burns processor time, prints its id and stays alive. */
const burner = `const end = Date.now() + ${burnMs}; while (process.cpuUsage().user < ${burnMs * 1000} && Date.now() < end + 20000); console.log(process.pid); setTimeout(() => {}, 60000)`;
/** Starts the burner, waits for it to end, and would stay alive as well. */
const parent = `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(burner)}], { stdio: ["ignore", "inherit", "inherit"] }); setTimeout(() => {}, 60000)`;

test.runIf(process.platform === "linux")(
  "the processor time of grandchildren stays counted when their parent dies before them",
  async () => {
    const cpu = cpuBelow(process.pid);
    const before = cpu.ms();
    const child = spawn(process.execPath, ["-e", parent], { stdio: ["ignore", "pipe", "inherit"] });
    const [grandchild] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
    const alive = cpu.ms() - before;
    expect(alive).toBeGreaterThan(burnMs * 0.9);
    const gone = once(child, "exit");
    child.kill("SIGKILL");
    await gone;
    process.kill(Number(grandchild), "SIGKILL");
    let after = cpu.ms();
    for (let tries = 0; tries < 50; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      after = cpu.ms();
    }
    expect(after - before).toBeGreaterThanOrEqual(alive);
    cpu.stop();
  },
  60_000,
);
