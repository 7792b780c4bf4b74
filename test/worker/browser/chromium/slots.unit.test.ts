import { expect, test } from "vitest";
import { Slots } from "../../../../worker/browser/chromium/slots.ts";

const patient = () => new AbortController().signal;

test("waiting jobs enter in their order, ahead of later ones", async () => {
  const slots = new Slots(1);
  const order: string[] = [];
  const enter = (name: string) => slots.enter(patient()).then(() => order.push(name));
  await enter("first");
  const waiting = [enter("second"), enter("third")];
  slots.leave();
  const late = enter("late");
  await waiting[0];
  expect(order).toEqual(["first", "second"]);
  slots.leave();
  await waiting[1];
  slots.leave();
  await late;
  expect(order).toEqual(["first", "second", "third", "late"]);
});

test("a job that gives up leaves the queue and holds no slot", async () => {
  const slots = new Slots(1);
  await slots.enter(patient());
  const controller = new AbortController();
  const given = slots.enter(controller.signal);
  const next = slots.enter(patient());
  controller.abort();
  expect(await given).toBe(false);
  slots.leave();
  expect(await next).toBe(true);
  slots.leave();
  expect(await slots.enter(patient())).toBe(true);
});

test("no job enters with an aborted signal", async () => {
  expect(await new Slots(1).enter(AbortSignal.abort())).toBe(false);
});
