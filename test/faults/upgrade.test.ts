import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { Queue } from "bullmq";
import { type JobData, formatVersion } from "../../runtime/queue.ts";
import { queuePrefix } from "../../runtime/redis/keys.ts";
import { type Answer, type Envelope, Gateway, until } from "../gateway.ts";
import { type SpawnedSimulator, spawnSimulator } from "../upstream/spawn.ts";
import { backlinks, backlinksEnv, backlinksPath } from "./cases.ts";
import { full } from "./full.ts";
import { type Release, hasRelease, unpackRelease } from "./release.ts";
import { counted, percentile, timed, traffic } from "./traffic.ts";

/** Processes of the last release and of this one side by side, on the same stores, under load. */

/** The last commit of 0.1.0. */
const commit = "261b0f0";
const isThere = hasRelease(commit);

let release: Release;
let upstream: SpawnedSimulator;
let gateway: Gateway;
beforeAll(async () => {
  upstream = await spawnSimulator();
  gateway = await Gateway.start({ pools: "seo", env: backlinksEnv(upstream) });
  if (!isThere) return;
  release = unpackRelease(commit);
  await gateway.startApi({}, undefined, release.folder);
});
afterEach(async () => {
  expect(await gateway.violations()).toEqual([]);
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
  release?.remove();
});

test("a job of a later release is returned for a worker that knows it, until its deadline", async () => {
  const queue = new Queue("seo", { connection: { url: gateway.redis.url }, prefix: queuePrefix });
  try {
    const deadline = Date.now() + 4000;
    const job = { ...laterJob, deadline } satisfies JobData;
    const jobs = await Promise.all([
      queue.add("later", { ...job, v: formatVersion + 1 }, { jobId: "svc_format" }),
      queue.add("later", { ...job, operation: "seo.of_tomorrow" }, { jobId: "svc_operation" }),
    ]);
    const states = () => Promise.all(jobs.map((one) => one.getState()));
    await until(async () => (await states()).every((state) => state === "delayed"));
    await until(async () => (await states()).every((state) => state === "completed"));
    expect(Date.now()).toBeGreaterThanOrEqual(deadline);
  } finally {
    await queue.close();
  }
});

const essence = ({ body: { request_id, data, billing } }: Answer<Envelope>) => ({
  request_id,
  data,
  billing,
});

const laterJob = {
  operation: "seo.backlinks.list",
  input: {},
  mode: "live",
  tenant: "t",
  max_records: 1,
  reply: "nobody",
} as const;

const tookMs = 100;
/** Without hints the earliest answer comes after a second. */
const withoutHintsMs = 1000;

test.runIf(isThere)(
  "either release's API beside either release's worker: no loss, no delay, concurrent retries are one call",
  async () => {
    await upstream.play(backlinksPath, { faults: [], rest: { kind: "delay", ms: tookMs } });
    // On a busy machine a second's calls exceed a new account's concurrency limit.
    const { key, accountId } = await gateway.key({ credits: 10_000, inFlight: 200 });
    const [now, before] = gateway.apis.map(({ url }) => url) as [string, string];
    let paid = 0;

    async function phase(worker: string): Promise<void> {
      const at = async (name: string, url: string, other: string) => {
        const seconds = full ? 10 : 1;
        const sent = await traffic({ perSecond: 20, seconds }, async (index) => {
          const target = `${worker}-${name}-${index}`.replaceAll(".", "");
          if (index % 4) return backlinks(gateway, key, target, { url });
          // One of four has a concurrent retry at the other release's API.
          const headers = { "Idempotency-Key": target };
          const [answer, retry] = await Promise.all([
            backlinks(gateway, key, target, { url, headers }),
            backlinks(gateway, key, target, { url: other, headers }),
          ]);
          // In answers that 0.1.0 renders itself the cursor differs: its end is set by that
          // process's own clock.
          expect(essence(retry)).toEqual(essence(answer));
          return answer;
        });
        const p50 = percentile(
          sent.map(({ ms }) => ms),
          0.5,
        );
        console.log(`API ${name}, worker ${worker}: ${counted(sent)}; p50 ${p50} ms`);
        expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
        paid += sent.length;
        if (full) expect(p50).toBeLessThan(withoutHintsMs);
        // On a busy machine most calls may be slow for other reasons; without hints none is ever
        // quick.
        else
          await until(async () => {
            const { ms, status } = await timed(() =>
              backlinks(gateway, key, `quick-${(paid += 1)}`, { url }),
            );
            expect(status).toBe(200);
            return ms < withoutHintsMs;
          }, 180_000);
      };
      await Promise.all([at("0.1.0", before, now), at("this", now, before)]);
    }

    await phase("this");
    await gateway.startWorker({ WORKER_POOLS: "seo" }, release.folder);
    await phase("both");
    await gateway.workers[0]?.kill("SIGTERM");
    await phase("0.1.0");
    expect((await gateway.balance(accountId)).balance).toBe(10_000 - paid);
  },
);
