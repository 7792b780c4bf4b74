import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Campaign, foundAgain } from "./campaign.ts";
import { Journal } from "./journal.ts";
import { type Combination, combinations, nameOf } from "./matrix.ts";

const folder = mkdtempSync(join(tmpdir(), "fates-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("an interrupted run goes on, and runs again what had a finding or was cut off", () => {
  const file = join(folder, "data", "one.jsonl");
  const list = { call: { "api postgres reserve_calls": 1 } };
  const all = combinations(list);
  const [good, bad, missed, cut] = all.map(nameOf) as [string, string, string, string];
  const journal = new Journal(file);
  journal.add({ name: good, isReached: true, ms: 5 });
  journal.add({ name: bad, isReached: true, ms: 7, finding: "untrue" });
  journal.add({ name: missed, isReached: false, ms: 1 });
  appendFileSync(file, JSON.stringify({ name: cut, isReached: true, ms: 1 }).slice(0, -9));

  const campaign = new Campaign(list, new Journal(file));
  const left = campaign.left(all).map(nameOf);
  expect(left).toEqual(all.map(nameOf).filter((name) => name !== good && name !== missed));
  expect([campaign.ran, campaign.missed]).toEqual([2, [missed]]);
  expect(campaign.report()).toContain("1 of 2 combinations met their round trip");

  new Journal(file).finish();
  expect(existsSync(file)).toBe(false);
  expect(new Campaign(list, new Journal(file)).left(all)).toHaveLength(all.length);
});

test("what is found beside other lanes counts once it is found again alone, and is told in any case", async () => {
  const file = join(folder, "data", "two.jsonl");
  const list = { call: { "api postgres reserve_calls": 1 } };
  const all = combinations(list);
  const [passing, lasting] = all as [Combination, Combination];
  const campaign = new Campaign(list, new Journal(file));
  const answers = [undefined, "untrue again"];
  for (const [one, answer] of [
    [passing, undefined],
    [lasting, "untrue"],
  ] as const) {
    const again = await foundAgain(() => Promise.resolve(answer));
    campaign.decide(one, "untrue at first", {
      name: nameOf(one),
      isReached: true,
      ms: 1,
      ...again,
    });
  }
  expect(await foundAgain(() => Promise.resolve(answers.shift()))).toEqual({
    finding: "untrue again",
  });
  expect(campaign.findings).toEqual([`${nameOf(lasting)}: untrue at first\n  again alone: untrue`]);
  expect(campaign.once).toEqual([`${nameOf(passing)}: untrue at first`]);

  const later = new Campaign(list, new Journal(file));
  const left = later.left(all).map(nameOf);
  expect(left).toEqual(all.map(nameOf).filter((name) => name !== nameOf(passing)));
  expect(later.report()).toContain(`not alone: ${nameOf(passing)}: untrue at first`);
});
