import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { FastifyAdapter } from "@bull-board/fastify";
import type { FastifyPluginCallback } from "fastify";
import type { Queue } from "bullmq";
import type { Redis } from "ioredis";
import { describe, redactJobData, withoutInput } from "./redact.ts";

type Found = Awaited<ReturnType<BullMQAdapter["getJob"]>>;

/** Removes the caller's input from every job before Bull Board sees it. */
class RedactedQueue extends BullMQAdapter {
  #redact<J extends NonNullable<Found>>(job: J): J {
    const clean = withoutInput(job.data);
    // Error messages are our own text, but the message of a bug may quote the input.
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
 * The actions on jobs that an operator may take. None moves credits: the waiting call owns the hold,
 * settles it by the outcome alone and releases it at the deadline.
 * - Retry: a job with an outcome does not run again. A job without one runs within its deadline or not at
 *   all, and is charged once, because a hold settles once. A retry may send another upstream request.
 * - Promote: a job that waits for a worker of its own release becomes available to all workers.
 * - Clean: a finished job leaves its queue; its outcome is stored elsewhere. A waiting job is removed, and
 *   its caller gets 503 without charge. A running job stays.
 *
 * Every other action is refused. Adding and duplicating create work without a hold, from redacted data.
 * Writing data replaces a call's input with redacted data. Emptying and obliterating fail every waiting
 * caller and remove the keys of running jobs. Changing delay, priority, concurrency or rate breaks the fair
 * queueing of accounts. Pausing has a page of its own, with a reason and an end.
 */
const allowedActions: Readonly<Record<string, string>> = {
  [`${oneQueue}/:jobId/retry`]: "retry",
  [`${oneQueue}/:jobId/promote`]: "promote",
  [`${oneQueue}/:jobId/clean`]: "clean",
  [`${oneQueue}/retry/:queueStatus`]: "retry all",
  [`${oneQueue}/promote`]: "promote all",
  [`${oneQueue}/clean/:queueStatus`]: "clean all",
};
/** The states that may be cleaned in bulk: no caller waits for these jobs. */
const finished = ["completed", "failed"];

/** An operator's action on one or more jobs. */
export interface BoardAct {
  who: string;
  act: string;
  /** `serp/svc_…`, or `serp/failed` for all of them. */
  target: string;
}

/** The page without style sheets from elsewhere. */
const withoutFonts = (html: string): string => html.replace(/<link [^>]*href="https?:[^>]*>/g, "");

/** Bull Board over all pools and the webhooks, to be registered under `path`. */
export function bullBoard(settings: {
  path: string;
  queues: readonly Queue[];
  redis: Redis;
  writable: boolean;
  /** Records the action before it takes place; rejects where recording fails. */
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
      // Without this check a request would wait until Redis is back.
      if (settings.redis.status !== "ready") {
        return reply.code(503).send({ error: "Redis is not reachable" });
      }
      if (["GET", "HEAD"].includes(request.method)) return;
      const act = allowedActions[route];
      const { queueName, jobId, queueStatus } = request.params as Record<string, string>;
      if (act === undefined) {
        return reply
          .code(405)
          .send({ error: "The board does not allow this: dashboards/board.ts says why" });
      }
      if (act === "clean all" && !finished.includes(queueStatus ?? "")) {
        return reply
          .code(405)
          .send({ error: "Callers wait for these jobs: clean them one by one" });
      }
      const target = `${queueName}/${jobId ?? queueStatus ?? "delayed"}`;
      try {
        await settings.note({ who: request.visitor.user, act, target });
      } catch {
        return reply
          .code(503)
          .send({ error: "The audit log cannot be written, so nothing was done" });
      }
    });
    // The page names a font of another host; the system's own does as well.
    app.addHook("onSend", async (_request, reply, payload) => {
      const isPage = String(reply.getHeader("content-type")).startsWith("text/html");
      return isPage && typeof payload === "string" ? withoutFonts(payload) : payload;
    });
    // A viewer sees no buttons.
    app.addHook("preSerialization", async (request, _reply, payload) => {
      const body = (payload ?? {}) as { queues?: { readOnlyMode: boolean }[] };
      const { queues } = body;
      // A refusal of the login has neither queues nor a visitor.
      if (!Array.isArray(queues) || request.visitor.role === "operator") return payload;
      return { ...body, queues: queues.map((queue) => ({ ...queue, readOnlyMode: true })) };
    });
    plugin(app, options, done);
  };
}
