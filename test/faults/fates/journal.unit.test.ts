import { appendFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Campaign } from "./campaign.ts";
import { Journal } from "./journal.ts";
import { combinations, nameOf } from "./matrix.ts";

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
