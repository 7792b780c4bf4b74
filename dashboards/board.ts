import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { FastifyAdapter } from "@bull-board/fastify";
import type { FastifyPluginCallback } from "fastify";
import type { Redis } from "ioredis";
import { describe, redactJobData, withoutInput } from "./redact.ts";
import type { Queues } from "./state.ts";

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

/** These would write redacted data back as if it were the caller's, so no mode allows them. */
const neverAllowed = ["/api/queues/:queueName/add", "/api/queues/:queueName/:jobId/update-data"];

/** Bull Board over all pools, to be registered under `path`. */
export function bullBoard(settings: {
  path: string;
  queues: Queues;
  redis: Redis;
  writable: boolean;
}): FastifyPluginCallback {
  const adapter = new FastifyAdapter();
  adapter.setBasePath(settings.path);
  const mode = settings.writable ? "writable" : "read-only";
  createBullBoard({
    queues: [...settings.queues.values()].map(
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
      if (neverAllowed.includes(route)) {
        return reply.code(405).send({ error: "Job data cannot be written from here" });
      }
    });
    plugin(app, options, done);
  };
}
