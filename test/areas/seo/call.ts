import type { Call } from "../../../worker/connector.ts";
import type { UpstreamRequest } from "../../../worker/transport/upstream.ts";

/** A call that is answered with these results, one a request, and what it asked for. */
export function callOf(results: unknown[], more: Partial<Call> = {}) {
  const tasks: Record<string, unknown>[] = [];
  const call = {
    operation: "seo.keywords.ideas",
    maxRecords: 1000,
    shortOfCredits: false,
    startedAt: Date.now(),
    deadline: Date.now() + 60_000,
    signal: new AbortController().signal,
    log: () => {},
    async send(_upstream: unknown, { body }: UpstreamRequest) {
      tasks.push((body as Record<string, unknown>[])[0] ?? {});
      const result = results[tasks.length - 1] ?? null;
      const task = { status_code: 20000, result: result === null ? null : [result] };
      return { status: 200, headers: {}, body: { status_code: 20000, tasks: [task] } };
    },
    ...more,
  } as unknown as Call;
  return { call, tasks };
}
