import { afterEach, describe, expect, test } from "vitest";
import { full } from "../../faults/full.ts";
import { until } from "../../gateway.ts";
import { type Play, Stage } from "./stage.ts";

/**
 * The short form of `npm run bench -- capacity`; only under `npm run test:faults`, because it takes
 * a minute.
 */

const play: Play = {
  pool: "social",
  operation: "shortclip.search",
  upstreamPath: "/api/v1/tiktok/",
  serviceSeconds: 0.4,
  scv: 1,
  slots: 1,
};

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

async function started(): Promise<{ stage: Stage; key: string }> {
  stage = await Stage.start({ plays: [play], capacity: { CAPACITY_CEILINGS: "all=10" } });
  const { key } = await stage.gateway.key({
    credits: 1_000_000,
    rate: 10_000,
    inFlight: 10_000,
  });
  return { stage, key };
}

describe.runIf(full)("on real processes", () => {
  test("workers are added until the wait is within its target, and removed without losing a call", async () => {
    const { stage: here, key } = await started();
    let rate = 6;
    const calls = here.call(play, key, 150, () => rate);
    const pool = async () => (await here.answer()).pools.social;
    await until(async () => (await pool()).workers.now >= 4, 90_000);
    expect(here.lines.some((line) => /social from 1 to .* calls\/s/.test(line))).toBe(true);
    let before = await here.waits("social");
    await until(async () => {
      const now = await here.waits("social");
      if (now.calls - before.calls < 40) return false;
      const within = (now.within(0.5) - before.within(0.5)) / (now.calls - before.calls);
      before = now;
      return within >= 0.95;
    });
    expect(here.autoscale.count("social")).toBeGreaterThanOrEqual(3);
    // The added workers are stopped in the middle of calls that the first one can carry.
    rate = 1;
    here.statuses.clear();
    await here.autoscale.stop();
    rate = 1e-3;
    await calls;
    await here.answered();
    expect([...here.statuses.keys()]).toEqual([200]);
    expect(await here.gateway.violations()).toEqual([]);
  }, 360_000);

  test("behind a quota no worker is added, and the reason names the quota", async () => {
    const { stage: here, key } = await started();
    const calls = here.call(play, key, 60, () => 25);
    const pool = async () => (await here.answer()).pools.social;
    await until(async () => (await pool()).wall === "upstream_quota");
    const { workers, reason, more_workers } = await pool();
    expect(more_workers).toBe("do_not_help");
    expect(reason).toMatch(
      /^tikhub allows 600 requests a minute and calls need \d+, so more workers will not help and a quota of \d+ a minute would: /,
    );
    const { desired } = workers;
    await calls;
    expect((await pool()).workers.desired).toBeLessThanOrEqual(desired);
    await here.answered();
    expect(await here.gateway.violations()).toEqual([]);
  });
});
