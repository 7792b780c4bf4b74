import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import type { JobData, JobState } from "../../contract/jobs.ts";
import { viewOptions } from "./call.ts";

/** Renders a job as a task of either revision. */

const idForm = /^(svc_[0-9a-f]{32})(?:\.(\d{1,6}))?$/;

export function idOf(job: string, mostCharacters: number | undefined): string {
  return mostCharacters === undefined ? job : `${job}.${mostCharacters}`;
}

export function read(taskId: string): { job: string; most: number | undefined } {
  const [, job, suffix] = idForm.exec(taskId) ?? [];
  const most = suffix === undefined ? undefined : Number(suffix);
  const isOurs = job !== undefined && viewOptions.max_chars.safeParse(most).success;
  if (!isOurs || taskId !== idOf(job, most)) throw unknownTask();
  return { job, most };
}

export const unknownTask = () =>
  new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    "Task not found: unknown, of another account, or expired",
  );

export type Status = "working" | "completed" | "failed" | "cancelled";

export const statuses = {
  queued: "working",
  running: "working",
  succeeded: "completed",
  failed: "failed",
  cancelled: "cancelled",
} as const satisfies Record<JobState, Status>;

function messageOf({ state, position, error, billing }: JobData): string {
  switch (state) {
    case "queued":
      return position === undefined ? "Queued" : `Queued: position ${position}`;
    case "running":
      return "Running";
    case "succeeded":
      return `Succeeded: ${billing?.credits_charged ?? 0} credits charged`;
    case "failed":
      return `Failed, nothing charged: ${error?.message ?? ""}`;
    case "cancelled":
      return error ? `Cancelled, nothing charged: ${error.message}` : "Cancelled: nothing charged";
  }
}

/** Milliseconds until another poll makes sense. */
const pollOf = ({ estimated_wait_seconds: seconds = 0 }: JobData): number =>
  Math.min(30, Math.max(1, seconds)) * 1000;

function taskOf(job: JobData, taskId: string) {
  return {
    taskId,
    status: statuses[job.state],
    statusMessage: messageOf(job),
    createdAt: job.created_at,
    lastUpdatedAt: job.ended_at ?? job.started_at ?? job.created_at,
  };
}

const lifeOf = (job: JobData) => Date.parse(job.expires_at) - Date.parse(job.created_at);

export const in2025 = (job: JobData, taskId: string) => ({
  ...taskOf(job, taskId),
  ttl: lifeOf(job),
  pollInterval: pollOf(job),
});

export const in2026 = (job: JobData, taskId: string) => {
  const task = taskOf(job, taskId);
  return {
    ...task,
    // In this revision `failed` means errors of the protocol only: a failed tool call is completed.
    status: task.status === "failed" ? ("completed" as const) : task.status,
    ttlMs: lifeOf(job),
    pollIntervalMs: pollOf(job),
  };
};

/** The SDK drops a tool result without content. */
export const noContent = { content: [] };

/** Revision 2026-07-28: the answer to a call that has not ended in the time its caller waits. */
export function asTask(job: JobData, mostCharacters: number | undefined): CallToolResult {
  const task = in2026(job, idOf(job.request_id, mostCharacters));
  return { ...noContent, resultType: "task", ...task };
}
