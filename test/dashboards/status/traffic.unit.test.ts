import { expect, test } from "vitest";
import { callCountsField } from "../../../runtime/call-counts.ts";
import { hourOf } from "../../../dashboards/status/calls.ts";
import { trafficCharts } from "../../../dashboards/status/charts.ts";
import { spanOf, trafficOf } from "../../../dashboards/status/traffic.ts";

/** The charts of the overview: calls and errors of each minute, waits of a day and a week. */

const minuteMs = 60_000;
const now = Date.UTC(2026, 0, 5, 12, 0, 30);
const minute = Math.floor(now / minuteMs);
const field = (pool: string, end: "ok" | "upstream_error", mode = "live") =>
  callCountsField({ mode, pool, end });

const hour = hourOf([
  {
    minute: minute - 5,
    counts: {
      [field("serp", "ok")]: "7",
      [field("serp", "ok", "test")]: "2",
      [field("serp", "upstream_error")]: "3",
    },
  },
  { minute: minute - 59, counts: { [field("browser", "ok")]: "1" } },
  // A path that no operation has.
  { minute: minute - 1, counts: { [field("none", "upstream_error", "none")]: "9" } },
]);
const point = (
  pool: string,
  minutesAgo: number,
  p95WaitMs: number | null,
  failed: number | null = null,
) => ({
  pool,
  at: now - minutesAgo * minuteMs,
  workers: 1,
  desired: 1,
  callsPerSecond: 0.5,
  p95WaitMs,
  failedMost: failed,
  failed: failed ?? 0,
  failedLive: failed ?? 0,
});
const facts = (span: "hour" | "day" | "week", history = [point("serp", 90, 1200)]) =>
  trafficCharts({
    now,
    span,
    hour,
    history,
    settings: { serp: { targetMs: 2000, floor: 1 } },
    reading: undefined,
    capacity: undefined,
    refusals: [],
    reportedLeft: {},
    changed: new Map(),
    stored: "absent",
  });

test("an hour has sixty minutes for each pool, with zero where no call ended", () => {
  const [browser, serp, ...more] = trafficOf(hour.minutes, undefined, { span: "hour", now });
  expect(more).toEqual([]);
  expect([browser?.pool, serp?.pool]).toEqual(["browser", "serp"]);
  for (const points of [serp?.calls, serp?.errors]) expect(points).toHaveLength(60);
  const at = (minute - 5) * minuteMs;
  expect(serp?.calls.filter(({ value }) => value > 0)).toEqual([{ at, value: 12 }]);
  expect(serp?.errors?.filter(({ value }) => value > 0)).toEqual([{ at, value: 3 }]);
  expect([serp?.failed, serp?.liveErrors, browser?.failed]).toEqual([3, 3, 0]);
  expect(browser?.calls.reduce((sum, { value }) => sum + value, 0)).toBe(1);
});

test("a day shows the calls a minute, the failed ones and the waits of the history", () => {
  const history = [point("serp", 90, 1200, 3), point("serp", 30, null)];
  expect(trafficOf(hour.minutes, history, { span: "day", now })).toEqual([
    {
      pool: "serp",
      calls: history.map(({ at }) => ({ at, value: 30 })),
      // The older interval was written before failed calls were.
      errors: [{ at: history[0]?.at, value: 3 }],
      failed: 3,
      liveErrors: 3,
      isCounted: false,
      waits: [{ at: history[0]?.at, value: 1200 }],
    },
  ]);
});

test("the charts say in words what they draw, and have their figures as tables", () => {
  const shown = facts("hour");
  expect(shown).toContain('data-unit="a minute" data-rest="0">Failed a minute</th>');
  const at = (minute - 5) * minuteMs;
  // Of the counted minutes only those with a call, and those whose wait was measured.
  expect(shown).toContain(
    `<tr><th scope="row" data-at="${at}">11:55</th><td>12</td><td>3</td><td>–</td></tr>`,
  );
  expect(shown.match(/<tr><th scope="row"/g)).toHaveLength(2);
  // The present minute, whose calls are not counted yet, has no row although its wait is known.
  expect(facts("hour", [point("serp", 0.1, 900)])).not.toContain("900 ms");
  expect(facts("day")).toContain('<td>30</td><td data-value="1200">1.2 s</td>');
  expect(shown).toContain('at most 12 calls a minute, <span class="bad">3 failed</span>');
  expect(shown).toContain("at most 1 call a minute, none failed");
  // The wait was measured more than an hour ago.
  expect(shown).toContain("no wait measured, target 2 s");
  expect(facts("day")).toContain("p95 wait at most 1.2 s, target 2 s");
  expect(facts("week")).toContain('<a href="/">hour</a> <a href="/?span=day">day</a> <strong');
  expect(facts("day", [])).toContain("No figures of this time.");
  const failing = facts("day", [point("serp", 90, null, 4), point("serp", 30, null, 0)]);
  expect(failing).toContain('<span class="bad">4 failed</span>');
  expect(failing).toContain(">Failed a minute</th>");
});

test.each([
  [{ span: "week" }, "week"],
  [{ span: "year" }, "hour"],
  [{ span: ["day", "week"] }, "hour"],
  [{}, "hour"],
  [undefined, "hour"],
])("the query %j asks for the %s", (query, span) => {
  expect(spanOf(query)).toBe(span);
});
