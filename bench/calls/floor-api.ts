import { Queue, QueueEvents } from "bullmq";
import Fastify from "fastify";

/** The floor: a bare route that adds a job and waits for it; no key, no database, no checks. */
const connection = { url: process.env["REDIS_URL"] as string };
const queue = new Queue("floor", { connection });
queue.setMaxListeners(0);
const events = new QueueEvents("floor", { connection });
events.setMaxListeners(0);
await events.waitUntilReady();

const app = Fastify();
app.post("/bench/noop", async (request) => {
  const job = await queue.add("noop", request.body, {
    attempts: 1,
    removeOnComplete: { age: 300, count: 1000 },
  });
  return { data: (await job.waitUntilFinished(events, 60_000)) as unknown };
});
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
