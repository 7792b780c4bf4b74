import { expect, test } from "vitest";
import { Slots } from "../../worker/slots.ts";

test("a job that finds a free slot holds it from its arrival, and its wait is the cost of taking it", () => {
  const slots = new Slots(2, 0);
  expect(slots.take(4, 1000)).toEqual({ since: 996, takingMs: 4 });
  expect(slots.take(6, 1010)).toEqual({ since: 1004, takingMs: 6 });
});

test("a job that waited holds its slot from the end of the previous job, and taking it costs the hand-over alone", () => {
  const slots = new Slots(1, 0);
  slots.take(4, 1000);
  slots.free(1500);
  expect(slots.take(300, 1503)).toEqual({ since: 1500, takingMs: 3 });
  // It arrived during the hand-over after the last job: a slot was free.
  slots.free(2000);
  expect(slots.take(2, 2003)).toEqual({ since: 2001, takingMs: 2 });
});

test("two waiting jobs get the two slots that were freed last, whichever were idle before", () => {
  const slots = new Slots(3, 0);
  for (const at of [100, 101, 102]) slots.take(1, at);
  slots.free(200);
  slots.free(201);
  const both = [slots.take(90, 203), slots.take(80, 204)];
  expect(new Set(both.map(({ since }) => since))).toEqual(new Set([200, 201]));
});

test("a pause, a worker's start and a returned job give no measurement", () => {
  const slots = new Slots(1, 5000);
  // It waited before a worker existed.
  expect(slots.take(3000, 5010)).toEqual({ since: 5010, takingMs: undefined });
  slots.free(6000);
  // Waiting since before the slot was freed, and taken a minute later: the pool was paused.
  expect(slots.take(61_000, 66_000)).toEqual({ since: 66_000, takingMs: undefined });
  slots.free(67_000);
  // A returned job.
  expect(slots.take(Infinity, 80_000)).toEqual({ since: 80_000, takingMs: undefined });
  slots.free(81_000);
  // It arrived at a free slot of a paused pool.
  expect(slots.take(30_000, 100_000)).toEqual({ since: 100_000, takingMs: undefined });
});

test("it works when more jobs are reported than it has slots", () => {
  const slots = new Slots(1, 0);
  slots.take(1, 10);
  expect(slots.take(1, 11)).toEqual({ since: 11, takingMs: 0 });
});

test("further slots are free from the moment on", () => {
  const slots = new Slots(1, 0);
  slots.take(0, 1000);
  slots.resize(2, 2000);
  expect(slots.take(1500, 2004)).toEqual({ since: 2000, takingMs: 4 });
  // The third was free all the time since.
  expect(slots.take(10, 3000)).toEqual({ since: 2990, takingMs: 10 });
  expect(slots.take(500, 3100)).toEqual({ since: 3100, takingMs: 0 });
});

test("slots are withdrawn free ones first, busy ones when their jobs end", () => {
  const slots = new Slots(3, 0);
  slots.take(0, 1000);
  slots.take(0, 1000);
  slots.resize(-2, 1100);
  slots.free(1200);
  expect(slots.take(50, 1300)).toEqual({ since: 1300, takingMs: 0 });
  slots.free(1400);
  slots.free(1500);
  expect(slots.take(300, 1503)).toEqual({ since: 1500, takingMs: 3 });
  slots.resize(-3, 1600);
  slots.resize(3, 1700);
  slots.free(1800);
  expect(slots.take(200, 1803)).toEqual({ since: 1800, takingMs: 3 });
});
