import { expect, test } from "vitest";
import { Admission } from "../../../../worker/browser/chromium/admission.ts";

const roomy = { mostByMemory: Infinity };

test("pages begin up to the slots while the open ones only wait", () => {
  const admission = new Admission(20, 8);
  expect(admission.admitted).toBe(8);
  admission.look({ wanting: 0, running: 8, waiting: 30, ...roomy });
  expect(admission.admitted).toBe(16);
  admission.look({ wanting: 1, running: 16, waiting: 22, ...roomy });
  expect(admission.admitted).toBe(20);
  admission.resize(25);
  admission.look({ wanting: 1, running: 20, waiting: 18, ...roomy });
  expect(admission.admitted).toBe(25);
  expect(admission.takeHeldBack()).toBe(false);
});

test("while as many want a processor none begins, and those that end are not replaced", () => {
  const admission = new Admission(20, 8);
  admission.look({ wanting: 2, running: 8, waiting: 30, ...roomy });
  expect(admission.admitted).toBe(14);
  admission.look({ wanting: 8, running: 14, waiting: 24, ...roomy });
  expect(admission.admitted).toBe(14);
  expect(admission.takeHeldBack()).toBe(true);
  expect(admission.takeHeldBack()).toBe(false);
  admission.look({ wanting: 9, running: 11, waiting: 24, ...roomy });
  expect(admission.admitted).toBe(11);
  // A page in the kept slot beside.
  admission.look({ wanting: 9, running: 12, waiting: 23, ...roomy });
  expect(admission.admitted).toBe(11);
  admission.look({ wanting: 8, running: 1, waiting: 23, ...roomy });
  expect(admission.admitted).toBe(4);
});

test("fewer slots than the least hold", () => {
  const admission = new Admission(2, 8);
  admission.look({ wanting: 9, running: 3, waiting: 1, ...roomy });
  expect(admission.admitted).toBe(2);
});

test("no more begin than memory allows, and one at the least", () => {
  const admission = new Admission(20, 8);
  const moment = { wanting: 0, running: 4, waiting: 30 };
  admission.look({ ...moment, mostByMemory: 5.9 });
  expect(admission.admitted).toBe(5);
  admission.look({ ...moment, mostByMemory: 2 });
  expect(admission.admitted).toBe(2);
  admission.look({ ...moment, mostByMemory: -1 });
  expect(admission.admitted).toBe(1);
});
