import { expect, test } from "vitest";
import { findOperations } from "../../../contract/search-operations.ts";
import { operations } from "../../../contract/index.ts";
import { questions } from "./questions.ts";

test("the questions name operations that exist", () => {
  expect(questions).toHaveLength(100);
  const unknown = questions.flatMap(([, ...ids]) => ids.filter((id) => !operations.has(id)));
  expect(unknown).toEqual([]);
});

test("of 100 questions in plain words 95 find their operation among the first three", () => {
  const missed = questions.flatMap(([question, ...ids]) => {
    const found = findOperations(question, 3).map(({ operation }) => operation.id);
    return found.some((id) => ids.includes(id)) ? [] : [`${question}: ${found.join(", ")}`];
  });
  expect(missed.length, missed.join("\n")).toBeLessThanOrEqual(5);
});

test("words without meaning find nothing, and no operation is found twice", () => {
  expect(findOperations("the of and")).toEqual([]);
  expect(findOperations("xyzzy qwertz")).toEqual([]);
  const found = findOperations("videos of a user", 20).map(({ operation }) => operation.id);
  expect(found).toHaveLength(20);
  expect(new Set(found).size).toBe(20);
});

test("a word that is also a member of every object is an ordinary word", () => {
  for (const word of ["constructor", "__proto__", "hasOwnProperty", "toString"])
    expect(findOperations(word)).toEqual([]);
});
