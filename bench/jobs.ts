import { testDatabase } from "../test/database.ts";
import { Pool } from "undici";
import { percentile } from "../test/faults/traffic.ts";
import { freeCaller, pepper } from "./caller.ts";
import { type Figure, pairs } from "./figures.ts";
import { type Part, cpuMs, start } from "./process.ts";

const input = (ms: number) => JSON.stringify({ text: "x".repeat(200), ms });
const atOnce = 32;
/** Calls that run while status requests are timed, and the time of their upstream. */
const beside = { lanes: 16, ms: 300 };

/**
 * Processor time of a job's submission and result beside a synchronous call; a job's status request
 * beside a bare one.
 */
export async function jobs(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const { rounds, seconds } = options;
  const db = await testDatabase();
  const env = {
    DATABASE_URL: db.url,
    REDIS_URL: process.env["TEST_REDIS_URL"] as string,
    KEY_PEPPER: pepper,
  };
  const [api, worker] = (await Promise.all(
    ["api.ts", "worker.ts"].map((script) => start(`calls/${script}`, env)),
  )) as [Part, Part];
  const pool = new Pool(api.line, { connections: atOnce + beside.lanes + 1, pipelining: 1 });
  try {
    const headers = await freeCaller(db);

    async function send(path: string, body?: string, more: Record<string, string> = {}) {
      const json = body === undefined ? {} : { "content-type": "application/json" };
      const method = body === undefined ? "GET" : "POST";
      const all = { ...headers, ...json, ...more };
      const answer = await pool.request({ method, path, headers: all, ...(body ? { body } : {}) });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode}: ${text.slice(0, 300)}`);
      return answer;
    }
    const call = async (ms = 0) => void (await send("/bench/noop", input(ms)));
    const submit = async (ms = 0) => {
      const { headers: accepted } = await send("/bench/noop", input(ms), {
        prefer: "respond-async",
      });
      return accepted["location"] as string;
    };
    const job = async (ms = 0) => void (await send(`${await submit(ms)}/result?wait=60`));

    /** Processor time in milliseconds per action, of the API and of both processes. */
    async function spentOn(one: () => Promise<void>, lanes: number) {
      const cpu = () => [api, worker].map(({ child }) => cpuMs(child.pid as number) ?? 0);
      const from = cpu();
      const end = performance.now() + seconds * 1000;
      let done = 0;
      await Promise.all(
        Array.from({ length: lanes }, async () => {
          for (; performance.now() < end; done += 1) await one();
        }),
      );
      const [inApi = 0, inWorker = 0] = cpu().map((ms, index) => ms - (from[index] as number));
      return { api: inApi / done, both: (inApi + inWorker) / done };
    }

    /**
     * Status requests for a job, alternating with requests to the bare process, while other jobs
     * run.
     */
    async function statusTimes(lanes: number) {
      const path = await submit();
      await send(`${path}/result?wait=60`);
      const took = { job: [] as number[], health: [] as number[] };
      let isOver = false;
      const traffic = Array.from({ length: lanes }, async () => {
        while (!isOver) await job(beside.ms);
      });
      for (const end = performance.now() + seconds * 1000; performance.now() < end;) {
        for (const [which, at] of [
          ["job", path],
          ["health", "/health/live"],
        ] as const) {
          const from = performance.now();
          await send(at);
          took[which].push(performance.now() - from);
        }
      }
      isOver = true;
      await Promise.all(traffic);
      return took;
    }

    const cost = { job: [] as number[], call: [] as number[] };
    const all = { job: [] as number[], call: [] as number[] };
    const single = { job: [] as number[], call: [] as number[] };
    const alone = { job: [] as number[][], health: [] as number[][] };
    const busy = { job: [] as number[][], health: [] as number[][] };
    // The first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const ofCall = await spentOn(call, atOnce);
      const ofJob = await spentOn(job, atOnce);
      const ofOneCall = await spentOn(call, 1);
      const ofOneJob = await spentOn(job, 1);
      const quiet = await statusTimes(0);
      const loaded = await statusTimes(beside.lanes);
      if (round === 0) continue;
      cost.job.push(ofJob.api);
      cost.call.push(ofCall.api);
      all.job.push(ofJob.both);
      all.call.push(ofCall.both);
      single.job.push(ofOneJob.api);
      single.call.push(ofOneCall.api);
      for (const which of ["job", "health"] as const) {
        alone[which].push(quiet[which]);
        busy[which].push(loaded[which]);
      }
    }
    const at = (share: number, times: number[][]) => times.map((one) => percentile(one, share));
    const name = "job, submission to result";
    return [
      pairs(`${name}, ${atOnce} at once: API`, "ms of processor", "≤ 2 x", cost.job, cost.call),
      pairs("the same in API and worker", "ms of processor", "", all.job, all.call),
      pairs(`${name}, one at a time: API`, "ms of processor", "≤ 2 x", single.job, single.call),
      ...(["p50", "p95"] as const).flatMap((of) => {
        const share = of === "p50" ? 0.5 : 0.95;
        const pair = (where: string, { job, health }: typeof alone) =>
          pairs(
            `status request for a job, ${where}, beside /health/live`,
            `ms ${of}`,
            of === "p95" ? "≤ 5" : "",
            at(share, job),
            at(share, health),
          );
        return [pair("nothing else", alone), pair(`${beside.lanes} jobs running`, busy)];
      }),
    ];
  } finally {
    await pool.destroy();
    await Promise.all([api.stop(), worker.stop()]);
    await db.drop();
  }
}
