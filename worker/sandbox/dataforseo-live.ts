import type { Sample, SampleRequest } from "./sample.ts";

/** The task of a request. */
export type SampleTask = Readonly<Record<string, unknown>>;

/** DataForSEO's envelope around the result of the one task; null means no result. */
export function envelope(path: string, task: SampleTask, result: unknown): unknown {
  return {
    version: "0.1.20260701",
    status_code: 20000,
    status_message: "Ok.",
    time: "0.1 sec.",
    cost: 0.02,
    tasks_count: 1,
    tasks_error: 0,
    tasks: [
      {
        id: "07010000-0000-0000-0000-000000000000",
        status_code: 20000,
        status_message: "Ok.",
        time: "0.05 sec.",
        cost: 0.02,
        result_count: result === null ? 0 : 1,
        path: path.split("/").slice(1),
        data: { api: path.split("/")[2], ...task },
        result: result === null ? null : [result],
      },
    ],
  };
}

/** A Live interface: `make` returns `result[0]`, or null. */
export function live(
  path: string,
  make: (task: SampleTask, request: SampleRequest) => unknown,
): Record<string, Sample> {
  return {
    [`POST ${path}`]: (request) => {
      const task = ((request.body as SampleTask[] | undefined) ?? [])[0] ?? {};
      return envelope(request.path, task, make(task, request));
    },
  };
}

/** The part of a list that a task requests: rows are made one by one, up to `total`. */
export function page(
  task: SampleTask,
  request: Pick<SampleRequest, "empty" | "secondPage">,
  total: { default: number; long?: number },
  row: (index: number) => unknown,
): { total_count: number; items_count: number; items: unknown[] | null } {
  const all = request.empty ? 0 : request.secondPage ? (total.long ?? 2500) : total.default;
  const offset = Number(task.offset ?? 0);
  const length = Math.max(0, Math.min(Number(task.limit ?? 100), all - offset));
  const items = Array.from({ length }, (_, index) => row(offset + index));
  return { total_count: all, items_count: length, items: length === 0 ? null : items };
}
