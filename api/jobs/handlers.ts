import { GatewayError } from "../../contract/errors.ts";
import { jobInput, type jobsEndpoints } from "../../contract/jobs.ts";
import type { OlderVersions } from "../../contract/version.ts";
import type { Database } from "../../db/client.ts";
import type { JobPosition } from "../../db/job-reads.ts";
import type { JobRow } from "../../db/job-rows.ts";
import { isPart } from "../admission/partial-read-limit.ts";
import type { Caller } from "../auth.ts";
import type { Asked, Handlers } from "../endpoints.ts";
import { chosenIn, narrowed } from "../fields.ts";
import { pageAsked } from "../paging.ts";
import { leaving, limitHeaders } from "../reply.ts";
import { write } from "../routes.ts";
import { downgraded } from "../version-changes.ts";
import { bestEffort, retryStore } from "../stores.ts";
import type { Jobs } from "./jobs.ts";
import { lookAgainSeconds } from "./preferred.ts";
import { type Result, resultOf } from "./result.ts";
import { jobView } from "./job-view.ts";
import { callSubmitted, submitted } from "./submit.ts";

/** Jobs of the caller: state, result, cancellation. */

interface Parts {
  db: Database;
  jobs: Jobs;
  olderVersions: OlderVersions;
}

export const jobsHandlers = {
  async "gateway.jobs.submit"(asked, { jobs, olderVersions }) {
    const { caller, request, reply } = asked;
    const { unread } = jobs.services;
    unread.check(caller);
    const call = callSubmitted(asked, jobs, olderVersions.get(request.version));
    try {
      const response = await submitted(asked, jobs, call);
      void write(reply, call.request, response, unread);
    } catch (error) {
      const { limits } = call.request;
      if (limits) void reply.headers(limitHeaders(caller, limits));
      throw error;
    }
    return undefined;
  },

  async "gateway.jobs.list"({ input, caller, request }, { jobs }) {
    const { cursor, ...filter } = input;
    const { accountId, mode } = caller;
    const { services, store } = jobs;
    const { after, pagination } = pageAsked<JobPosition>(
      { caller, request },
      { name: "/jobs", input, cursor },
      { secret: services.cursorSecret, now: services.dispatcher.storeNow() },
    );
    const [page, available] = await retryStore(() =>
      Promise.all([
        store.list(accountId, mode, { ...filter, after }),
        store.available(accountId, mode),
      ]),
    );
    const data = page.jobs.map((job) => jobView(job, {}, undefined));
    return { data, pagination: pagination(page.next), available };
  },

  async "gateway.jobs.get"({ input, caller }, { jobs }) {
    return shown(jobs, await found(jobs, input.request_id, caller));
  },

  async "gateway.jobs.cancel"({ input: { request_id: id }, caller }, { jobs }) {
    const [cancelled] = await jobs.cancel([id], caller);
    if (!cancelled) throw missing();
    const { state } = cancelled;
    if (state !== "cancelled") throw conflict("job_ended", `The job had ended: it ${state}`);
    return shown(jobs, await found(jobs, id, caller));
  },

  async "gateway.jobs.result"(asked, { jobs, olderVersions }) {
    const { caller, reply } = asked;
    const { unread } = jobs.services;
    unread.check(caller);
    const { job, response } = await resultAsked(asked, jobs);
    const older = olderVersions.get(job.version);
    void write(
      reply,
      { caller, version: job.version },
      older ? downgraded({ id: job.operation }, response, older) : response,
      unread,
    );
    return undefined;
  },
} satisfies Handlers<typeof jobsEndpoints, Parts>;

async function found(jobs: Jobs, id: string, { accountId, mode }: Caller): Promise<JobRow> {
  const job = await retryStore(() => jobs.store.find(id, accountId, mode));
  if (!job) throw missing();
  return job;
}

/** Reads one row, and the queue while the job has not ended. */
async function shown(jobs: Jobs, job: JobRow) {
  const { dispatcher } = jobs.services;
  const pool = job.status === undefined ? jobs.poolOf(job.operation) : undefined;
  const open = job.state === "queued" || job.state === "running";
  let standing = {};
  if (open && pool) {
    const look = dispatcher.standingOf(job.requestId, pool).then((stands) => (standing = stands));
    await bestEffort(look);
  }
  const data = jobView(job, standing, pool && dispatcher.stateOf(pool));
  return { data, available: job.available };
}

type AskedResult = Asked<Extract<(typeof jobsEndpoints)[number], { id: "gateway.jobs.result" }>>;

/** The result, reduced to the fields chosen in this request or when the job was submitted. */
async function resultAsked(
  { input: { request_id: id, wait, fields }, caller, request, reply }: AskedResult,
  jobs: Jobs,
) {
  const { partialReads, unread } = jobs.services;
  const isPartial = isPart(request.raw, fields === undefined ? undefined : [fields]);
  const admitBytes = (bytes: number) => {
    // The job's own fields are known only after it is read.
    if (isPartial || partialReads.waitMs(caller) > 0) partialReads.take(caller, bytes);
    unread.take(caller, reply.raw, bytes);
  };
  let result = await resultOf(jobs, id, caller, admitBytes);
  const op = "job" in result ? jobs.operation(result.job.operation) : undefined;
  // An input of the operation may be called `fields`; here the name selects members.
  const query = new URLSearchParams(fields === undefined ? "" : { fields });
  const chosen = op && chosenIn({ data: op.data, input: jobInput }, request.raw, query);
  if (result.kind === "unfinished" && wait > 0) {
    const end = await jobs.ends.wait(id, wait * 1000, leaving(reply));
    result = end?.response
      ? { kind: "ended", job: result.job, response: end.response }
      : await resultOf(jobs, id, caller, admitBytes);
  }
  const { job, response } = ended(result);
  if (job.fields && !isPartial) partialReads.take(caller, response.body.length);
  return { job, response: narrowed(response, chosen?.fields ?? job.fields) };
}

function ended(result: Result): Extract<Result, { kind: "ended" }> {
  if (result.kind === "cancelled")
    throw new GatewayError("not_found", "The job was cancelled: it has no result");
  if (result.kind === "unfinished")
    throw conflict("job_not_ended", "The job has not ended yet", lookAgainSeconds);
  return result;
}

const missing = () => new GatewayError("not_found", "There is no such job");

function conflict(code: string, message: string, retryAfter?: number): GatewayError {
  const issues = [{ in: "path" as const, path: "request_id", code, message }];
  return new GatewayError("validation_error", message, { status: 409, issues, retryAfter });
}
