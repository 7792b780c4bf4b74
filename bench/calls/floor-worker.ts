import { Worker } from "bullmq";

/** The floor's worker: the same concurrency, nothing else. */
const worker = new Worker<{ text: string }>(
  "floor",
  (job) => Promise.resolve({ text: job.data.text }),
  {
    connection: { url: process.env["REDIS_URL"] as string },
    concurrency: 64,
  },
);
await worker.waitUntilReady();
process.stdout.write("working\n");
