import { expect, test } from "vitest";
import { Uncarried } from "../../api/uncarried.ts";

test("work is uncarried once two looks in a row have found it", () => {
  const uncarried = new Uncarried();
  expect([...uncarried.confirmed(["a"])]).toEqual([]);
  expect([...uncarried.confirmed(["a", "b"])]).toEqual(["a"]);
  expect([...uncarried.confirmed([])]).toEqual([]);
  expect([...uncarried.confirmed(["b"])]).toEqual([]);
});

test("work that a step in flight may still bring is not uncarried", async () => {
  const uncarried = new Uncarried();
  const { promise, reject } = Promise.withResolvers<void>();
  const step = uncarried.assigning(() => promise);
  uncarried.confirmed(["a"]);
  expect([...uncarried.confirmed(["a"])]).toEqual([]);
  reject(new Error("no answer"));
  await expect(step).rejects.toThrow("no answer");
  // A later step cannot bring work that was assigned before.
  void uncarried.assigning(() => new Promise(() => undefined));
  expect([...uncarried.confirmed(["a"])]).toEqual(["a"]);
});
