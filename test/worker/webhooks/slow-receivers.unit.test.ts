import { expect, test } from "vitest";
import { SlowReceivers } from "../../../worker/webhooks/slow-receivers.ts";

test("a host is slow by its last attempts, an unknown one by those of its account", () => {
  const slow = new SlowReceivers();
  const at = (account: string, host: string) => ({ account, host });
  expect(slow.has(at("a", "one"))).toBe(false);
  slow.note(at("a", "one"), 14_500);
  expect(slow.has(at("a", "one"))).toBe(true);
  expect(slow.has(at("a", "two"))).toBe(true);
  expect(slow.has(at("b", "one"))).toBe(false);
  for (let n = 0; n < 4; n += 1) slow.note(at("a", "one"), 20);
  expect(slow.has(at("a", "one"))).toBe(false);
  for (let n = 0; n < 20_000; n += 1) slow.note(at("c", `host ${n}`), 5000);
  expect(slow.has(at("a", "one"))).toBe(false);
  expect(slow.has(at("c", "host 19999"))).toBe(true);
});
