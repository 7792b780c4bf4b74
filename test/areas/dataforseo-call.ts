import type { Call } from "../../worker/connector.ts";
import type { UpstreamRequest } from "../../worker/transport/upstream.ts";

type Task = Record<string, unknown>;

/** Runs calls against these results, one per request, and keeps their requests. */
export const dataforseoCalls =
  (operation: string, maxRecords: number) =>
  (results: unknown[], more: Partial<Call> = {}) => {
    const requests: UpstreamRequest[] = [];
    const tasks: Task[] = [];
    const call = {
      operation,
      maxRecords,
      shortOfCredits: false,
      startedAt: Date.now(),
      deadline: Date.now() + 60_000,
      signal: new AbortController().signal,
      log: () => {},
      async send(_upstream: unknown, request: UpstreamRequest) {
        const result = results[requests.length] ?? null;
        requests.push(request);
        tasks.push((request.body as Task[])[0] ?? {});
        const task = { status_code: 20000, result: result === null ? null : [result] };
        return { status: 200, headers: {}, body: { status_code: 20000, tasks: [task] } };
      },
      ...more,
    } as unknown as Call;
    return { call, requests, tasks };
  };
