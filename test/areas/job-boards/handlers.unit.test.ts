import { expect, test } from "vitest";
import { after } from "../../../worker/areas/job-boards/handlers.ts";
import {
  greenhousePosting,
  leverPosting,
  remotivePostings,
  unescaped,
} from "../../../worker/areas/job-boards/postings.map.ts";
import { greenhouse, leverEu } from "../../../worker/areas/job-boards/samples/answers.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { issues } from "../input.ts";
import { play, playToEnd } from "../play.ts";

test("job-boards surprise 1: one layer of entities is taken off", () => {
  expect(unescaped("&lt;p&gt;Salt &amp;amp; pepper&lt;/p&gt;&amp;nbsp;")).toBe(
    "<p>Salt &amp; pepper</p>&nbsp;",
  );
  expect(unescaped(" ")).toBeUndefined();
});

test("job-boards surprise 2: a list goes on behind its last posting, or at its place", () => {
  const rows = ["a", "b", "c", "d"].map((id) => ({ id }));
  expect(after(rows, undefined, 2)).toEqual({
    rows: [{ id: "a" }, { id: "b" }],
    next: { offset: 2, last: "b" },
  });
  const [, ...shorter] = rows;
  expect(after(shorter, { offset: 2, last: "b" }, 2)).toEqual({
    rows: [{ id: "c" }, { id: "d" }],
    next: null,
  });
  expect(after(rows, { offset: 1, last: "gone" }, 1).rows).toEqual([{ id: "b" }]);
  expect(after(rows, { offset: 9, last: "gone" }, 1)).toEqual({ rows: [], next: null });
});

test("job-boards surprise 3: texts of a list and pay of a posting are requested", async () => {
  const queries: unknown[] = [];
  const answers = Object.entries(greenhouse.answers).map(([pattern, sample]) => [
    pattern,
    (request: SampleRequest) => {
      queries.push(request.query);
      return sample(request);
    },
  ]);
  const samples = [{ ...greenhouse, answers: Object.fromEntries(answers) }];
  const list = { board: "sample", limit: 1 };
  await play("job_boards.postings.list", list, { samples });
  await play("job_boards.postings.list", { ...list, view: "full" }, { samples });
  await play("job_boards.postings.get", { board: "sample", id: "7" }, { samples });
  expect(queries).toEqual([{}, { content: true }, { pay_transparency: true }]);
});

test("job-boards surprise 4: pay in cents, in units and in words", () => {
  const base = { id: 7, title: "Baker" };
  const pay = [{ min_cents: 5_000_050, currency_type: "USD", title: "NYC" }];
  expect(greenhousePosting("b")({ ...base, pay_input_ranges: pay }).pay_ranges).toEqual([
    { minimum: 50_000.5, currency: "USD", description: "NYC" },
  ]);
  const range = { min: 50_000, max: 60_000, currency: "EUR", interval: "per-year-salary" };
  const posting = leverPosting("lever", "b", false)({ id: "x", text: "Baker", salaryRange: range });
  expect(posting.pay_ranges).toEqual([
    { minimum: 50_000, maximum: 60_000, currency: "EUR", interval: "per-year-salary" },
  ]);
  const jobs = [
    { ...base, salary: "$40k", tags: ["react", " C++ ", ""] },
    { ...base, salary: "" },
  ];
  expect(remotivePostings({ jobs }).map((job) => job.pay)).toEqual(["$40k", undefined]);
  expect(remotivePostings({ jobs }).map((job) => job.tags)).toEqual([["react", "C++"], []]);
});

test("job-boards surprise 5: a page that is not full ends Lever's list", async () => {
  const pages = await playToEnd<{ id: string }>(
    "job_boards.postings.list",
    { board: "sample", source: "lever-eu", limit: 12 },
    { samples: [leverEu] },
  );
  expect(pages.map((page) => page.length)).toEqual([12, 12, 6]);
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(30);
});

test("job-boards surprise 6: milliseconds become a moment, and empty parts are absent", () => {
  const row = { id: "x", text: " Baker ", createdAt: 1_767_225_600_000, additional: "", lists: [] };
  expect(leverPosting("lever-eu", "b", true)(row)).toEqual({
    id: "x",
    source: "lever-eu",
    board: "b",
    title: "Baker",
    locations: [],
    departments: [],
    offices: [],
    created_at: "2026-01-01T00:00:00.000Z",
    pay_ranges: [],
    sections: [],
  });
});

test("job-boards: filters of Lever are refused for Greenhouse, and ids have two forms", async () => {
  const id = "job_boards.postings.list";
  const played = await play(id, { board: "sample", team: "Bakers" });
  expect(played).toMatchObject({ ok: false, type: "validation_error" });
  for (const good of ["4000001", "5ac21346-8e0c-4494-8e7a-3eb92ff77902"])
    expect(issues("job_boards.postings.get", { board: "b", id: good })).toEqual([]);
  for (const bad of ["0", "5AC21346-8e0c", "x"])
    expect(issues("job_boards.postings.get", { board: "b", id: bad })).toEqual(["id"]);
});
