import { randomUUID } from "node:crypto";
import { operations } from "../../contract/index.ts";
import { type Operation, mostRecords, pools } from "../../contract/operation.ts";
import { commonExpectation, expectationOf } from "../../contract/expectation.ts";
import { monotonicNow } from "../../runtime/monotonic.ts";
import { decodeOutcome } from "../../runtime/queue.ts";
import { type ProbedUpstream, type Shape, joinedShape } from "../../runtime/probe.ts";
import { handlersOf } from "../../worker/handlers.ts";
import { type Outbound, run } from "../../worker/run.ts";
import { pathTemplates } from "../../worker/sandbox/path-templates.ts";
import { createSandbox } from "../../worker/sandbox/sandbox.ts";
import { samples } from "../../worker/sandbox/samples.ts";
import type { Model } from "./judge.ts";

/** Plays an operation's example on the bundled samples: how many upstream calls it costs, and what to expect. */

export interface Played extends Model {
  /** Upstream -> calls of one page. */
  calls: ReadonlyMap<string, number>;
  /** Upstream, method and path template of each of them. */
  routes: ReadonlySet<string>;
}

const deadlineMs = 60_000;

/** Undefined for an operation that renders a page, which has no sample, and for an input that the sample refuses. */
export type Play = (
  op: Operation,
  input: unknown,
  asked: readonly ProbedUpstream[] | undefined,
) => Promise<Played | undefined>;

/** One model of two plays of an operation. */
export function joinedModel(one: Model, other: Model | undefined): Model {
  if (!other) return one;
  const shapes: Record<string, Shape> = { ...one.shapes };
  for (const [upstream, shape] of Object.entries(other.shapes))
    shapes[upstream] = joinedShape(shapes[upstream] ?? {}, shape);
  const hasMore = one.hasMore === other.hasMore ? one.hasMore : undefined;
  const expected = commonExpectation(one.expected, other.expected);
  return { expected, hasMore, shapes, dropped: [...one.dropped, ...other.dropped] };
}

export async function sampleRuns(): Promise<Play> {
  const handlers = await handlersOf(pools);
  const sandbox = createSandbox(samples);
  const templateOf = pathTemplates(samples);

  return async (op, given, asked) => {
    if (!handlers.has(op.id)) return undefined;
    const input = op.input.parse(given);
    const routes = new Set<string>();
    const note = (upstream: string, method: string, path: string) =>
      routes.add(`${upstream} ${method} ${templateOf(upstream, method, path) ?? "(other)"}`);
    // Where an operation has two upstreams, the sample is of the one that the workers turn to.
    const test: Outbound = {
      send(upstream, request, call) {
        note(upstream.name, request.method, request.path);
        return sandbox.send(upstream, request, call);
      },
      fetchFor: (upstream, call) => (input, init) => {
        const request = new Request(input, init);
        note(upstream.name, request.method, new URL(request.url).pathname);
        return sandbox.fetchFor(upstream, call)(request);
      },
      hasCredentials: async ({ name }) =>
        asked === undefined ||
        asked.length === 0 ||
        asked.some(({ upstream }) => upstream === name),
    };
    const job = {
      operation: op.id,
      input,
      mode: "test" as const,
      tenant: "verify",
      account: "verify",
      max_records: mostRecords(op, input),
      deadline: monotonicNow() + deadlineMs,
      reply: "",
      probe: "call" as const,
    };
    const services = {
      operations,
      handlers,
      live: test,
      test,
      log: () => undefined,
      shapeFault: () => undefined,
      rowsDropped: () => undefined,
      now: monotonicNow,
    };
    const { signal } = new AbortController();
    const { stored } = await run(randomUUID(), job, signal, services, {
      worker: "verify",
      attempt: 1,
      queued: 0,
    });
    const { outcome, data } = decodeOutcome(stored);
    if (!outcome.ok) return undefined;
    const calls = new Map<string, number>();
    const { tries = [], more = 0 } = outcome.work ?? {};
    for (const { upstream } of tries) calls.set(upstream, (calls.get(upstream) ?? 0) + 1);
    const last = tries.at(-1)?.upstream;
    if (last !== undefined && more > 0) calls.set(last, (calls.get(last) ?? 0) + more);
    return {
      expected: expectationOf(op.id, JSON.parse(data.toString())),
      hasMore: outcome.pagination?.has_more,
      shapes: outcome.probe?.shapes ?? {},
      dropped: Object.keys(outcome.probe?.dropped ?? {}),
      calls,
      routes,
    };
  };
}
