import { expect, test } from "vitest";
import * as z from "zod";
import { ListCall } from "../../client/src/calls.ts";
import { areas, operations } from "../../contract/index.ts";
import { type Operation, countRecords } from "../../contract/operation.ts";
import { recordsIn, recordsMember } from "../../contract/records.ts";

const lists = areas
  .flatMap((area) => area.operations)
  .flatMap((op) => (op.records.kind === "list" ? [{ op, records: op.records }] : []));

test("records billed singly are found by one rule, in the contract and in the client", async () => {
  const rows = [{ id: 1 }, { id: 2 }];
  expect(lists.length).toBeGreaterThan(50);
  for (const { op, records } of lists) {
    const data = op.data instanceof z.ZodArray ? rows : { [recordsMember]: rows };
    expect(records.rows(data), op.id).toBe(rows);
    expect(recordsIn(data), op.id).toBe(rows);
    const call = new ListCall(() => Promise.resolve({ data }), undefined as never);
    expect(await call.toArray(), op.id).toEqual(rows);
  }
  expect(recordsIn({ title: "one thing" })).toBeUndefined();
  expect(recordsIn(null)).toBeUndefined();
});

test("a page that shows nothing is no record, so nothing empty is sold", () => {
  const op = operations.get("browser.markdown") as Operation;
  const page = { url: "http://site.test/", status_code: 200 };
  expect(countRecords(op, { ...page, markdown: "" })).toBe(0);
  expect(countRecords(op, { ...page, markdown: "text" })).toBe(1);
});

test.each(["web.fetch", "web.snapshot"])(
  "a page without any requested form costs nothing in %s",
  (id) => {
    const op = operations.get(id) as Operation;
    const kinds = ["products", "articles", "job_postings", "recipes", "events", "organisations"];
    const lists = [...kinds, "reviews", "breadcrumbs", "tables"].map((name) => [name, []]);
    const extract = Object.fromEntries(lists) as unknown;
    const page = { url: "http://site.test/", markdown: "" };
    expect(countRecords(op, page)).toBe(0);
    expect(countRecords(op, { ...page, main_content: "", extract })).toBe(0);
    expect(countRecords(op, { ...page, main_content: "text" })).toBe(1);
    expect(countRecords(op, { ...page, links: [] })).toBe(1);
    expect(countRecords(op, { ...page, metadata: { status: 200 } })).toBe(1);
  },
);
