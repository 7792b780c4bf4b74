import { expect, test } from "vitest";
import type { CapacityAnswer, PoolAnswer } from "../../dashboards/capacity/answer.ts";
import { type Pool, pools } from "../../contract/operation.ts";
import { readConfig } from "../../dashboards/config.ts";
import { Autoscale, defaultCeilings } from "../../local/autoscale.ts";

const answerWith = (
  desired: Partial<Record<Pool, number>>,
  more_workers: PoolAnswer["more_workers"] = "help",
  state: CapacityAnswer["state"] = "measured",
): CapacityAnswer => ({
  at: "2026-11-22T00:00:00.000Z",
  state,
  pools: Object.fromEntries(
    pools.map((pool) => [
      pool,
      { workers: { desired: desired[pool] ?? 1 }, more_workers, reason: "Because." },
    ]),
  ) as unknown as CapacityAnswer["pools"],
});

/** An autoscaler whose workers only record their starts and ends. */
function following() {
  const events: string[] = [];
  const lines: string[] = [];
  let answer: CapacityAnswer | undefined;
  const autoscale = new Autoscale({
    ask: async () => {
      if (!answer) throw new Error("away");
      return answer;
    },
    start(pool, number) {
      events.push(`+${pool}-${number}`);
      return { stop: async () => void events.push(`-${pool}-${number}`) };
    },
    print: (line) => void lines.push(line),
    // Runs only on command.
    everyMs: 2 ** 30,
  });
  return {
    autoscale,
    lines,
    given: async (next: CapacityAnswer | undefined): Promise<string[]> => {
      answer = next;
      await autoscale.follow();
      return events.splice(0);
    },
  };
}

test("it starts missing workers at once and ends one at a time, the newest first", async () => {
  const { autoscale, lines, given } = following();
  expect(await given(answerWith({ serp: 3, browser: 2 }))).toEqual([
    "+browser-2",
    "+serp-2",
    "+serp-3",
  ]);
  expect(lines).toEqual([
    "Autoscale: browser from 1 to 2. Because.",
    "Autoscale: serp from 1 to 3. Because.",
  ]);
  expect(await given(answerWith({ serp: 3, browser: 2 }))).toEqual([]);
  expect(await given(answerWith({}))).toEqual(["-browser-2", "-serp-3"]);
  expect(await given(answerWith({}))).toEqual(["-serp-2"]);
  expect(await given(answerWith({ serp: 0 }))).toEqual([]);
  await autoscale.stop();
});

test("without an answer, with an old one or on a full machine it starts and ends no worker", async () => {
  const { autoscale, lines, given } = following();
  await given(answerWith({ serp: 2 }));
  expect(await given(undefined)).toEqual([]);
  expect(await given(undefined)).toEqual([]);
  expect(lines.filter((line) => line.includes("does not answer"))).toHaveLength(1);
  expect(await given(answerWith({ serp: 1 }, "help", "held"))).toEqual([]);
  expect(await given(answerWith({ serp: 5 }, "help_on_other_machines"))).toEqual([]);
  expect(await given(answerWith({ serp: 5 }, "do_not_help"))).toEqual([]);
  expect(autoscale.count("serp")).toBe(1);
  await autoscale.stop();
  expect(autoscale.count("serp")).toBe(0);
});

test("a floor above a default ceiling raises it, and the dashboards accept both", () => {
  const floors = "browser=9,serp=1";
  const ceilings = defaultCeilings(4, floors);
  const secrets = { REDIS_URL: "redis://127.0.0.1", DASHBOARDS_PASSWORD: "long enough" };
  const { capacity } = readConfig({
    ...secrets,
    CAPACITY_FLOORS: floors,
    CAPACITY_CEILINGS: ceilings,
  });
  expect(capacity.browser).toMatchObject({ floor: 9, ceiling: 9 });
  expect(capacity.serp).toMatchObject({ floor: 1, ceiling: 4 });
  expect(defaultCeilings(4, undefined)).toContain("browser=2");
});
