import Fastify from "fastify";
import { Redis } from "ioredis";
import postgres from "postgres";
import { reportBytesInUse } from "./in-use.ts";

/**
 * A bare route with one Redis and one Postgres request each, commands of one event-loop turn
 * pipelined: no key, no job.
 */
const redis = new Redis(process.env["REDIS_URL"] as string, { enableAutoPipelining: true });
const sql = postgres(process.env["DATABASE_URL"] as string, { max: 6 });

const app = Fastify();
app.post("/bench/noop", async (request) => {
  await redis.set("bare", JSON.stringify(request.body));
  await sql`select 1 as one`;
  return { data: request.body };
});
reportBytesInUse();
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
