import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { Caller, type Result } from "../../cli/verify/call.ts";
import type { Sender } from "../../cli/verify/jobs.ts";
import { planOf } from "../../cli/verify/plan.ts";
import { operations } from "../../contract/index.ts";
import { mostRecords } from "../../contract/operation.ts";
import { decodeOutcome } from "../../runtime/queue.ts";
import { run } from "../../worker/run.ts";
import { handlers, mapped, sandbox } from "./play.ts";

/** `gateway verify` over every operation, with the worker's code in this process and samples as the live upstreams. */

const log = () => undefined;
/** Every upstream has its credential. */
const anywhere = { ...sandbox, hasCredentials: async () => true };
const here: Sender = {
  hasWorkers: (pool) => pool !== "browser",
  async send(op, input, probe, { cursor, without } = {}) {
    const job = {
      operation: op.id,
      input,
      mode: "live" as const,
      tenant: "verify",
      account: "verify",
      max_records: mostRecords(op, input),
      cursor,
      deadline: Date.now() + 60_000,
      reply: "",
      probe,
      probe_without: without,
    };
    const services = {
      operations,
      handlers,
      live: anywhere,
      test: anywhere,
      log,
      shapeFault: log,
      rowsDropped: log,
      now: Date.now,
    };
    const taken = { worker: "test", attempt: 1, queued: 0 };
    const { signal } = new AbortController();
    const { stored } = await run(`svc_${randomUUID()}`, job, signal, services, taken);
    const { outcome, data } = decodeOutcome(stored);
    return { outcome, data: outcome.ok ? (JSON.parse(data.toString()) as unknown) : data, ms: 1 };
  },
};

test("every operation works against its samples: live inputs, second page, and expectation", async () => {
  const plan = await planOf(here, { names: mapped.map(({ id }) => id), free: false });
  const caller = new Caller(here, plan.play);
  const results: Result[] = [];
  for (const step of plan.steps) results.push(await caller.result(step));
  const wrong = results
    .filter(({ verdict }) => verdict !== "works")
    .map(({ operation, verdict, cause, findings }) => [operation, verdict, cause, findings]);
  expect(wrong).toEqual([]);
  const second = results.filter(({ through }) => through !== undefined);
  expect(results.length - second.length).toBe(mapped.length);
  expect(second.length).toBeGreaterThan(20);
  expect(results.filter(({ records = 0 }) => records > 0).length).toBeGreaterThan(
    mapped.length * 0.9,
  );
});
