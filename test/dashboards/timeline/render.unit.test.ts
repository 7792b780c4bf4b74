import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { CallLogEntry } from "../../../runtime/call-log.ts";
import { timelineOf } from "../../../dashboards/timeline/timeline.ts";
import { WorkTimeline } from "../../../worker/timeline.ts";

test("the time of a render is split by its stages, and a repeated stage continues its count", async () => {
  const startedAt = performance.now();
  const job = new WorkTimeline({ worker: "host-1", attempt: 1, queued: 3 });
  job.stage("open");
  // A busy machine may pause the process around the stages, too.
  const beside = [performance.now() - startedAt];
  for (const name of ["navigate", "read", "navigate", "read", "check"]) {
    await sleep(5);
    job.stage(name);
  }
  await sleep(5);
  const endsAt = performance.now();
  const work = job.finish(false);
  beside.push(performance.now() - endsAt);
  const stages = work.stages ?? [];
  expect(stages.map(({ name }) => name)).toEqual(["open", "navigate", "read", "check"]);
  const sum = stages.reduce((all, { ms }) => all + ms, 0);
  expect(sum).toBeGreaterThan(work.ran - 1 - beside.reduce((all, ms) => all + ms, 0));
  expect(sum).toBeLessThan(work.ran + 1);
  expect(stages[1]?.ms).toBeGreaterThan(8);

  const id = "svc_1";
  const story: CallLogEntry = {
    fate: "ran",
    at: Date.now(),
    status: 200,
    method: "POST",
    operation: "browser.html",
    api: "host-2",
    stages: { edge: 1, wait: work.ran + 4, settle: 1, write: 1 },
    work,
  };
  const row = { requestId: id, callId: id, story };
  const timeline = timelineOf({
    id,
    logs: [row],
    logCount: 1,
    away: [],
    refused: undefined,
    books: undefined,
    account: undefined,
    job: undefined,
  });
  expect(timeline.stages.filter(({ inside }) => inside).map(({ name }) => name)).toEqual([
    "queue",
    "run: a page in the browser",
    "run: navigate",
    "run: read the page",
    "run: convert and check",
    "outcome to the API",
  ]);
});
