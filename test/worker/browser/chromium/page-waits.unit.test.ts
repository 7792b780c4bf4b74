import { expect, test } from "vitest";
import { PageWaits } from "../../../../worker/browser/chromium/page-waits.ts";

test("pages that want no processor do not wait", () => {
  const waits = new PageWaits();
  waits.note({ jobs: 30, wanting: 0, stopped: 0, sinceMs: 50 });
  expect(waits.take(1)).toBe(0);
  expect(new PageWaits().take(1)).toBe(0);
});

test("of the pages that want one, the part waits that their threads have waited", () => {
  const waits = new PageWaits();
  waits.note({ jobs: 8, wanting: 8, stopped: 0, sinceMs: 50 });
  waits.note({ jobs: 8, wanting: 0, stopped: 0, sinceMs: 50 });
  waits.addThread(10, 30);
  expect(waits.take(0)).toBeCloseTo(0.5 * 0.75, 5);
  expect(waits.take(0)).toBe(0);
});

test("where threads are not timed, the machine's pressure stands for them", () => {
  const waits = new PageWaits();
  waits.note({ jobs: 4, wanting: 2, stopped: 0, sinceMs: 50 });
  expect(waits.take(0.6)).toBeCloseTo(0.3, 5);
});

test("a page that is stopped waits, and wants a processor", () => {
  const waits = new PageWaits();
  waits.note({ jobs: 4, wanting: 1, stopped: 2, sinceMs: 25 });
  waits.addThread(10, 0);
  expect(waits.wanting).toBe(3);
  expect(waits.take(0)).toBeCloseTo(0.5, 5);
});

test("looks count by the time between them", () => {
  const waits = new PageWaits();
  waits.note({ jobs: 1, wanting: 1, stopped: 0, sinceMs: 90 });
  waits.note({ jobs: 1, wanting: 0, stopped: 0, sinceMs: 10 });
  expect(waits.take(1)).toBeCloseTo(0.9, 5);
});
