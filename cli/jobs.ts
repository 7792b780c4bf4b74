import { Option } from "commander";
import type { Command } from "commander";
import { resultOf } from "../api/jobs/result.ts";
import { jobView } from "../api/jobs/job-view.ts";
import { GatewayError } from "../contract/errors.ts";
import { type JobState, jobStates } from "../contract/jobs.ts";
import { CallStore } from "../db/calls.ts";
import { noteChange } from "../db/changes.ts";
import type { Database } from "../db/client.ts";
import { JobStore } from "../db/jobs.ts";
import type { Mode } from "../db/schema.ts";
import { findAccount } from "./accounts.ts";
import { addCommand, modeOption, requiredAccount, wholeNumber } from "./arguments.ts";
import { fields, moment, table } from "./output.ts";
import type { Output, Print } from "./output.ts";
import { CliProblem } from "./problem.ts";
import { actor, withDatabase } from "./system.ts";

interface Question {
  account: string;
  mode?: Mode;
  state?: JobState;
  operation?: string;
  limit: number;
}

async function list(db: Database, question: Question): Promise<Output> {
  const { id, name } = await findAccount(db, question.account);
  const modes: Mode[] = question.mode ? [question.mode] : ["live", "test"];
  const store = new JobStore(db);
  const { state, operation, limit } = question;
  const pages = await Promise.all(
    modes.map(async (mode) => {
      const { jobs } = await store.list(id, mode, { state, operation, limit });
      return jobs.map((job) => ({ mode, job }));
    }),
  );
  const found = pages
    .flat()
    .toSorted((one, other) => other.job.createdAt - one.job.createdAt)
    .slice(0, limit);
  const rows = found.map(({ mode, job }) => [
    job.requestId,
    mode,
    job.operation,
    job.state,
    moment(new Date(job.createdAt)),
    job.charge?.credits ?? 0,
  ]);
  return {
    json: {
      account: name,
      jobs: found.map(({ mode, job }) => ({ mode, ...jobView(job, {}, undefined) })),
    },
    text:
      rows.length === 0
        ? `${name} has no such jobs.`
        : table(["job", "mode", "operation", "state", "submitted", "credits"], rows),
  };
}

const unknown = (id: string) =>
  new CliProblem("job_unknown", `There is no job ${id}: jobs are kept for 24 hours.`);

async function holderOf(db: Database, id: string) {
  const holder = await new JobStore(db).holder(id);
  if (!holder) throw unknown(id);
  return holder;
}

async function show(db: Database, id: string): Promise<Output> {
  const { account, accountId, mode } = await holderOf(db, id);
  const job = await new JobStore(db).find(id, accountId, mode);
  if (!job) throw unknown(id);
  const { billing, error, ...view } = jobView(job, {}, undefined);
  return {
    json: { account, mode, ...view, error, billing },
    text: fields({
      account,
      mode,
      ...(view as Record<string, string | number>),
      ...(error ? { error: `${error.type}: ${error.message}` } : {}),
      ...(billing ? { credits: billing.credits_charged } : {}),
    }),
  };
}

async function result(db: Database, id: string): Promise<Output> {
  const found = await resultOf(
    { calls: new CallStore(db), store: new JobStore(db) },
    id,
    await holderOf(db, id),
  ).catch((error: unknown) => {
    throw error instanceof GatewayError ? new CliProblem(error.type, `${error.message}.`) : error;
  });
  if (found.kind === "cancelled")
    throw new CliProblem("job_cancelled", "The job was cancelled: it has no result.");
  if (found.kind === "unfinished")
    throw new CliProblem("job_not_ended", "The job has not ended yet.");
  const { status, body } = found.response;
  const text = body.toString();
  return { json: { request_id: id, status, body: JSON.parse(text) as unknown }, text };
}

async function cancel(db: Database, id: string): Promise<Output> {
  const { accountId, mode } = await holderOf(db, id);
  const [cancelled] = await new JobStore(db).cancel([id], accountId, mode);
  if (!cancelled) throw unknown(id);
  const { state } = cancelled;
  // The process that runs the job checks for a cancellation every second.
  if (state !== "cancelled") throw new CliProblem("job_ended", `The job had ended: it ${state}.`);
  await noteChange(db, actor(), { kind: "job", target: id, accountId, after: { state } });
  return { json: { request_id: id, state }, text: `${id} is cancelled.` };
}

/** `gateway jobs …` */
export function addJobs(program: Command, print: Print): void {
  const jobs = program.command("jobs").description("asynchronous calls");
  addCommand(jobs, "list", "list the jobs of the last 24 hours, newest first")
    .addOption(requiredAccount())
    .addOption(modeOption())
    .addOption(new Option("--state <state>", "only jobs in this state").choices([...jobStates]))
    .option("--operation <id>", "only jobs of this operation")
    .option("--limit <n>", "most jobs to show", wholeNumber(1, 1000), 20)
    .action(async (question: Question) => print(await withDatabase((db) => list(db, question))));
  const one = (form: string, summary: string, step: typeof show) =>
    addCommand(jobs, form, summary)
      .argument("<id>", "request id of the job")
      .action(async (id: string) => print(await withDatabase((db) => step(db, id))));
  one("show", "show the state of a job", show);
  one("result", "print the answer of a job that has ended", result);
  one("cancel", "stop a job; it costs nothing", cancel);
}
