import type { FastifyInstance } from "fastify";
import type { Redis } from "ioredis";
import type { Pool } from "../../contract/operation.ts";
import type { Database } from "../../db/client.ts";
import type { Reading } from "../metrics.ts";
import { databaseLoad } from "./database.ts";
import type { PoolSettings } from "./decide.ts";
import { CapacityWatch } from "./watch.ts";
import { question, whatIf } from "./what-if.ts";

interface Parts {
  redis: Redis;
  db: Database | undefined;
  settings: Readonly<Record<Pool, PoolSettings>>;
  /** Rejects when Redis does not answer. */
  read: () => Promise<Reading>;
}

/** How many workers each pool should have, for programs (JSON) and for people (a page). */
export function serveCapacity(app: FastifyInstance, { redis, db, settings, read }: Parts): void {
  const watch = new CapacityWatch({
    redis,
    settings,
    read,
    database: db && (() => databaseLoad(db)),
  });
  app.addHook("onClose", async () => watch.close());

  app.get("/capacity", async (_request, reply) => {
    const { answer, trouble } = watch;
    if (answer) return reply.send(answer);
    return reply
      .code(503)
      .header("Retry-After", 5)
      .send({ error: trouble ?? "Nothing has been measured yet" });
  });

  app.get<{ Querystring: Record<string, string> }>("/capacity/what-if", async (request, reply) => {
    const asked = question.safeParse(request.query);
    if (asked.success) return reply.send(whatIf(asked.data));
    const issues = asked.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`);
    return reply.code(400).send({ error: issues.join("; ") });
  });
}
