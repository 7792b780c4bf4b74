import { expect, test } from "vitest";
import { isSelector } from "../../../worker/browser/plain/selector.ts";
import { known, unknown } from "./selectors.ts";

test("selectors that both ways of reading a page know, and those that one of them does not", () => {
  expect(known.filter((selector) => !isSelector(selector))).toEqual([]);
  expect(unknown.filter((selector) => isSelector(selector))).toEqual([]);
});
