import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { FastifyAdapter } from "@bull-board/fastify";
import type { FastifyPluginCallback } from "fastify";
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { describe, redactJobData, withoutInput } from "./redact.ts";

type Found = Awaited<ReturnType<BullMQAdapter["getJob"]>>;

/** Takes what callers asked for out of every job before Bull Board sees it. */
class RedactedQueue extends BullMQAdapter {
  #redact<J extends NonNullable<Found>>(job: J): J {
    const clean = withoutInput(job.data);
    // Errors are text of our own, but a bug's message may quote what it choked on.
    job.failedReason = job.failedReason && clean(job.failedReason);
    job.stacktrace = job.stacktrace?.map(clean) ?? [];
    job.data = redactJobData(job.data);
    job.returnvalue &&= describe(job.returnvalue);
    return job;
  }

  override async getJob(id: string): Promise<Found> {
    const job = await super.getJob(id);
    return job && this.#redact(job);
  }

  override async getJobs(...range: Parameters<BullMQAdapter["getJobs"]>) {
    return (await super.getJobs(...range)).map((job) => this.#redact(job as NonNullable<Found>));
  }

  override async getJobLogs(id: string): Promise<string[]> {
    const [job, lines] = await Promise.all([super.getJob(id), super.getJobLogs(id)]);
    return job ? lines.map(withoutInput(job.data)) : [];
  }
}

const oneQueue = "/api/queues/:queueName";

/**
 * What an operator may do to jobs. No credit moves by it: a hold belongs to the call that waits, which
 * settles by the outcome alone, and at its deadline gives it back.
 * - Retry: a job that has an outcome is not run again; one without runs within its deadline or not at all,
 *   and nobody is charged for it twice, as a hold settles once. It may ask an upstream once more.
 * - Promote: a job that waits for a worker of its release is offered to the others.
 * - Clean: a finished job leaves its queue; its outcome is elsewhere. A waiting one is gone, and its caller
 *   is answered 503 at no charge. A running one stays.
 *
 * All else is refused. Adding and duplicating make work without a hold, from redacted data; writing data
 * back does the same to a call; emptying and obliterating fail every caller that waits, and take away what
 * running jobs are known by; changes of delay, priority, concurrency and rate upset the turns that accounts
 * take. Pausing has a page of its own, with a reason and an end.
 */
const allowed: Readonly<Record<string, string>> = {
  [`${oneQueue}/:jobId/retry`]: "retry",
  [`${oneQueue}/:jobId/promote`]: "promote",
  [`${oneQueue}/:jobId/clean`]: "clean",
  [`${oneQueue}/retry/:queueStatus`]: "retry all",
  [`${oneQueue}/promote`]: "promote all",
  [`${oneQueue}/clean/:queueStatus`]: "clean all",
};
/** Of what is cleaned at once nobody waits any more. */
const finished = ["completed", "failed"];

/** Somebody did something to jobs. */
export interface BoardAct {
  who: string;
  act: string;
  /** `serp/svc_…`, or `serp/failed` for all of them. */
  target: string;
}

/** Bull Board over all pools and the webhooks, to be registered under `path`. */
export function bullBoard(settings: {
  path: string;
  queues: readonly Queue[];
  redis: Redis;
  writable: boolean;
  /** Writes it down before it is done; rejects where it cannot be. */
  note(act: BoardAct): Promise<void>;
}): FastifyPluginCallback {
  const adapter = new FastifyAdapter();
  adapter.setBasePath(settings.path);
  const mode = settings.writable ? "writable" : "read-only";
  createBullBoard({
    queues: settings.queues.map(
      (queue) => new RedactedQueue(queue, { readOnlyMode: !settings.writable }),
    ),
    serverAdapter: adapter,
    options: {
      uiConfig: {
        boardTitle: "Gateway queues",
        environment: {
          label: mode,
          color: settings.writable ? "#b3261e" : "#3c6e47",
          textColor: "#fff",
        },
        miscLinks: [{ text: "Overview", url: "/" }],
        hideDocsLink: true,
      },
    },
  });
  const plugin = adapter.registerPlugin() as FastifyPluginCallback;
  return (app, options, done) => {
    app.addHook("preHandler", async (request, reply) => {
      const route = request.routeOptions.url?.slice(settings.path.length) ?? "";
      if (!route.startsWith("/api/")) return;
      // Otherwise a request would wait for as long as Redis is away.
      if (settings.redis.status !== "ready") {
        return reply.code(503).send({ error: "Redis is not reachable" });
      }
      if (["GET", "HEAD"].includes(request.method)) return;
      const act = allowed[route];
      const { queueName, jobId, queueStatus } = request.params as Record<string, string>;
      if (act === undefined) {
        return reply.code(405).send({ error: "Not from here: see dashboards/board.ts for why" });
      }
      if (act === "clean all" && !finished.includes(queueStatus ?? "")) {
        return reply.code(405).send({ error: "Callers wait for these; clean them one by one" });
      }
      const target = `${queueName}/${jobId ?? queueStatus ?? "delayed"}`;
      try {
        await settings.note({ who: request.visitor.user, act, target });
      } catch {
        return reply.code(503).send({ error: "It cannot be written down who does this" });
      }
    });
    // Who may only look sees no button.
    app.addHook("preSerialization", async (request, _reply, payload) => {
      const told = (payload ?? {}) as { queues?: { readOnlyMode: boolean }[] };
      const { queues } = told;
      // What was refused at the door has no queues, and nobody who asked.
      if (!Array.isArray(queues) || request.visitor.role === "operator") return payload;
      return { ...told, queues: queues.map((queue) => ({ ...queue, readOnlyMode: true })) };
    });
    plugin(app, options, done);
  };
}
