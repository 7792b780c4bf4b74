import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Gateway, type Process, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { besideMs, full } from "./full.ts";
import { patientCalls } from "./patient.ts";

/** A time server steps the clock of a process while calls run in it. */

const folder = mkdtempSync(join(tmpdir(), "gateway-steps-"));
const perSecond = 20;
/** High enough that no call is refused for its account's concurrency, however slow the machine. */
const callers = 12;
/** Calls whose provider takes longer than a worker's lock on a job, and the check for lost locks. */
const long = { calls: 6, ms: full ? 12_000 : 9000 };

type Role = "api" | "worker";

let upstream: SpawnedSimulator;
let gateway: Gateway;
let processes: Record<Role, Process>;
beforeAll(async () => {
  upstream = await spawnSimulator();
  const hooked = (who: Role) => {
    writeFileSync(join(folder, who), "0");
    return {
      NODE_OPTIONS: `--import ${new URL("shifted-clock.ts", import.meta.url).href}`,
      CLOCK_STEP_FILE: join(folder, who),
    };
  };
  gateway = await Gateway.start({ env: backlinksEnv(upstream), api: hooked("api") });
  const worker = await gateway.startWorker({ WORKER_POOLS: "seo", ...hooked("worker") });
  processes = { api: (gateway.apis[0] as (typeof gateway.apis)[0]).process, worker };
  // Processes stop sequentially.
});
afterEach(async () => {
  await upstream.reset();
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns once the processes use the stepped clock. */
async function step(who: readonly Role[], ms: number): Promise<void> {
  for (const one of who) {
    const stepsLogged = () => processes[one].log().split("clock stepped").length;
    const before = stepsLogged();
    writeFileSync(join(folder, one), String(ms));
    await until(() => stepsLogged() > before);
  }
}

const both = ["api", "worker"] as const;
const cases: [name: string, who: readonly Role[], steps: number[]][] = full
  ? [["api"] as const, ["worker"] as const, both].flatMap((who) =>
      [70_000, -70_000].map((ms): (typeof cases)[number] => [
        `${who.join(" and ")} by ${ms / 1000} s`,
        who,
        [ms],
      ]),
    )
  : [["api and worker by 70 s and back", both, [70_000, 0]]];

test.each(cases)("a clock that is stepped under %s delays nobody", async (name, who, steps) => {
  const accounts = await gateway.keys(callers);
  const before = (await upstream.calls(backlinksPath)).length;
  const delays = { kind: "delay" as const, ms: long.ms };
  await upstream.play(backlinksPath, {
    faults: Array.from({ length: long.calls }, () => delays),
    rest: { kind: "delay", ms: 300 },
  });
  const seconds = full ? 20 : 3;
  const calling = patientCalls({ perSecond, seconds, withinMs: 60_000 }, (index) =>
    backlinks(
      gateway,
      accounts[index % callers]?.key ?? "",
      `step${who.join("")}${steps.join("")}x${index}`,
      {
        headers: index % 2 ? { "Idempotency-Key": `${name}${index}` } : {},
      },
    ),
  );
  for (const ms of steps) {
    await sleep(full ? 3000 : 800);
    await step(who, ms);
  }
  const { answered, refusals, refusedMs } = await calling;
  await step(who, 0);
  const calls = perSecond * seconds;
  const refused = Object.values(refusals).reduce((sum, count) => sum + count, 0);
  const sent = (await upstream.calls(backlinksPath)).length - before;
  console.log(
    `${name}: ${answered} of ${calls} answered, refusals ${JSON.stringify(refusals)} for at most ${refusedMs} ms, asked the provider ${sent} times`,
  );
  expect(answered).toBe(calls);
  expect(refusedMs).toBeLessThan(5000 + besideMs);
  const balances = await Promise.all(
    accounts.map(async ({ accountId }) => gateway.balance(accountId)),
  );
  expect(balances.map(({ held }) => held)).toEqual(accounts.map(() => 0));
  // One credit each.
  expect(balances.reduce((sum, { balance }) => sum + 1000 - balance, 0)).toBe(calls);
  // Without renewed locks every long job would run twice; a stalled machine causes one repeat.
  expect(sent - calls - refused).toBeLessThan(long.calls / 2);
});
