import { expect, test } from "vitest";
import { createSlots } from "../../../worker/browser/slots.ts";

const patient = () => new AbortController().signal;

test("those who wait enter in their order, ahead of those who come later", async () => {
  const slots = createSlots(1);
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

test("whoever gives up leaves the queue and holds no place", async () => {
  const slots = createSlots(1);
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

test("nobody enters with a signal that has come already", async () => {
  expect(await createSlots(1).enter(AbortSignal.abort())).toBe(false);
});
