import { expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { handlersOf } from "../../worker/handlers.ts";
import { type DroppedReport, run } from "../../worker/run.ts";

/** Runs a search on this answer and returns the log of omitted rows. */
async function searchOn(body: unknown) {
  const reports: DroppedReport[] = [];
  const logged: unknown[] = [];
  const outbound = {
    send: async () => ({ status: 200, headers: {}, body }),
    fetchFor: () => fetch,
  };
  const job = {
    operation: "shortclip.search.hashtags",
    input: { q: "tea", limit: 20 },
    mode: "live" as const,
    tenant: "test",
    max_records: 20,
    deadline: Date.now() + 60_000,
    reply: "",
  };
  const { outcome } = await run("svc_1", job, new AbortController().signal, {
    operations,
    handlers: await handlersOf(["social"]),
    live: outbound,
    test: outbound,
    log: (level, message, fields) => logged.push({ level, message, ...fields }),
    shapeFault: () => undefined,
    rowsDropped: (report) => reports.push(report),
    now: Date.now,
  });
  return { outcome, reports, logged };
}

const labels = { upstream: "tikhub", operation: "shortclip.search.hashtags" };

test("a row that did not fit is counted and logged, with its missing field", async () => {
  const bad = [{ desc: "a" }, { desc: "b" }, null];
  const { outcome, reports, logged } = await searchOn({
    code: 200,
    data: { challenge_list: [{ cid: "1" }, ...bad], has_more: 0 },
  });
  expect(outcome).toBe("ok");
  expect(reports).toEqual([
    { ...labels, field: "cid", count: 2 },
    { ...labels, field: "data.challenge_list[]", count: 1 },
  ]);
  expect(logged).toContainEqual(
    expect.objectContaining({ ...labels, level: "warn", field: "cid", count: 2 }),
  );
});

test("two concurrent calls count their own rows", async () => {
  const of = (dropped: number) =>
    searchOn({
      code: 200,
      data: { challenge_list: [{ cid: "1" }, ...Array(dropped).fill({ desc: "a" })], has_more: 0 },
    });
  const found = await Promise.all([of(1), of(0), of(3)]);
  expect(found.map(({ reports }) => reports.map(({ count }) => count))).toEqual([[1], [], [3]]);
});

test("a list of only bad rows is an answer that did not fit, and no row of it is counted", async () => {
  const { outcome, reports } = await searchOn({
    code: 200,
    data: { challenge_list: [{ desc: "a" }] },
  });
  expect([outcome, reports]).toEqual(["response_shape_error", []]);
});
