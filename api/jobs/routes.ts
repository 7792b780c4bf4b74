import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GatewayError } from "../../contract/errors.ts";
import { jobInput, jobListInput, jobResultInput } from "../../contract/jobs.ts";
import type { OlderVersions } from "../../contract/version.ts";
import type { JobPlace } from "../../db/job-looks.ts";
import type { JobRow } from "../../db/job-rows.ts";
import { isPart } from "../admission/cuts.ts";
import { callerOf } from "../callers.ts";
import { chosenIn, narrowed } from "../fields.ts";
import { ownInput, pageAsked, sendFree } from "../own.ts";
import { downgraded, write } from "../routes.ts";
import { aside, fromStore } from "../stores.ts";
import type { Jobs } from "./jobs.ts";
import { lookAgainSeconds } from "./preferred.ts";
import { resultOf } from "./result.ts";
import { jobTold } from "./told.ts";

const listPath = "/jobs";
const onePath = "/jobs/{request_id}";
const resultPath = "/jobs/{request_id}/result";

const missing = () => new GatewayError("not_found", "There is no such job");

function conflict(code: string, message: string, retryAfter?: number): GatewayError {
  const issues = [{ in: "path" as const, path: "request_id", code, message }];
  return new GatewayError("validation_error", message, {
    status: 409,
    issues,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Jobs of the caller: state, result, cancellation. */
export function addJobs(app: FastifyInstance, jobs: Jobs, olderVersions: OlderVersions): void {
  const { dispatcher } = jobs.services;

  /** By one row, and one look at the queue while the job has not ended. */
  async function told(job: JobRow) {
    const pool = job.status === undefined ? jobs.poolOf(job.operation) : undefined;
    const open = job.state === "queued" || job.state === "running";
    let standing = {};
    if (open && pool) {
      const look = dispatcher.standingOf(job.requestId, pool).then((found) => (standing = found));
      await aside(look);
    }
    return jobTold(job, standing, pool && dispatcher.stateOf(pool));
  }

  const send = async (request: FastifyRequest, reply: FastifyReply, job: JobRow) =>
    sendFree(request, reply, { data: await told(job) }, job.available);

  async function found(id: string, request: FastifyRequest): Promise<JobRow> {
    const { accountId, mode } = callerOf(request);
    const job = await fromStore(() => jobs.store.find(id, accountId, mode));
    if (!job) throw missing();
    return job;
  }

  app.get(listPath, async (request, reply) => {
    const input = ownInput(request, listPath, jobListInput);
    const { cursor, ...filter } = input;
    const { accountId, mode } = callerOf(request);
    const asked = pageAsked<JobPlace>(
      request,
      { operation: listPath, input, cursor },
      { secret: jobs.services.cursorSecret, now: dispatcher.storeNow() },
    );
    const [page, available] = await fromStore(() =>
      Promise.all([
        jobs.store.list(accountId, mode, { ...filter, after: asked.after }),
        jobs.store.available(accountId, mode),
      ]),
    );
    const data = page.jobs.map((job) => jobTold(job, {}, undefined));
    return sendFree(request, reply, { data, pagination: asked.told(page.next) }, available);
  });

  app.get("/jobs/:request_id", async (request, reply) => {
    const { request_id: id } = ownInput(request, onePath, jobInput);
    return send(request, reply, await found(id, request));
  });

  app.delete("/jobs/:request_id", async (request, reply) => {
    const { request_id: id } = ownInput(request, onePath, jobInput);
    const [cancelled] = await jobs.cancel([id], callerOf(request));
    if (!cancelled) throw missing();
    const { state } = cancelled;
    if (state !== "cancelled") throw conflict("job_ended", `The job had ended: it ${state}`);
    return send(request, reply, await found(id, request));
  });

  app.get("/jobs/:request_id/result", async (request, reply) => {
    const { request_id: id, wait, fields } = ownInput(request, resultPath, jobResultInput);
    const caller = callerOf(request);
    const { cuts, unread } = jobs.services;
    unread.check(caller);
    const asked = isPart(request.raw, fields === undefined ? undefined : [fields]);
    const room = (bytes: number) => {
      // Which fields a job has is known once it is read.
      if (asked || cuts.waitMs(caller) > 0) cuts.take(caller, bytes);
      unread.take(caller, reply.raw, bytes);
    };
    let result = await resultOf(jobs, id, caller, room);
    const op = "job" in result ? jobs.operation(result.job.operation) : undefined;
    // A field of the operation may have this name; here it has its usual meaning.
    const query = new URLSearchParams(fields === undefined ? "" : { fields });
    const chosen = op && chosenIn({ data: op.data, input: jobInput }, request.raw, query);
    if (result.kind === "unfinished" && wait > 0) {
      const { job } = result;
      const ended = await jobs.ends.wait(id, wait * 1000, leaving(reply));
      result = ended?.response
        ? { kind: "ended", job, response: ended.response }
        : await resultOf(jobs, id, caller, room);
    }
    if (result.kind === "cancelled")
      throw new GatewayError("not_found", "The job was cancelled: it has no result");
    if (result.kind === "unfinished")
      throw conflict("job_not_ended", "The job has not ended yet", lookAgainSeconds);
    const { job } = result;
    if (job.fields && !asked) cuts.take(caller, result.response.body.length);
    const response = narrowed(result.response, chosen?.fields ?? job.fields);
    const older = olderVersions.get(job.version);
    return write(
      reply,
      { caller, version: job.version },
      older ? downgraded({ id: job.operation }, response, older) : response,
      unread,
    );
  });
}

/** Aborts when the caller leaves before his answer is written. */
export function leaving(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished) controller.abort();
  });
  return controller.signal;
}
