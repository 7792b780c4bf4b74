import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { mostItems } from "../contract/batches.ts";
import { testDatabase } from "../test/database.ts";
import { freeCaller, pepper } from "./caller.ts";
import { type Figure, pairs, spread } from "./figures.ts";
import { percentile } from "../test/faults/traffic.ts";
import { load } from "./load.ts";
import { type Part, cpuMs, start } from "./process.ts";

const text = "x".repeat(200);

/** Delay of a slow upstream's answer. */
const waitMs = 300;
/** Delay of a quick upstream's answer. */
const quickMs = 100;

function rssMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
}

/**
 * Samples a value ten times a second; the returned function stops that and returns its peak above
 * the first sample.
 */
function samples(statusOf: () => number): () => number {
  const first = statusOf();
  let most = first;
  const timer = setInterval(() => (most = Math.max(most, statusOf())), 100);
  return () => {
    clearInterval(timer);
    return most - first;
  };
}

/**
 * Batch items a second, from the first byte to the end of the batch, beside synchronous calls 64 at
 * a time.
 */
export async function batch(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const { rounds, seconds } = options;
  const db = await testDatabase();
  const env = {
    DATABASE_URL: db.url,
    REDIS_URL: process.env["TEST_REDIS_URL"] as string,
    KEY_PEPPER: pepper,
  };
  const [api, worker, bare] = (await Promise.all(
    ["api.ts", "worker.ts", "bare-look.ts"].map((script) => start(`calls/${script}`, env)),
  )) as [Part, Part, Part];
  try {
    const headers = await freeCaller(db);
    const shot = (ms = 0) => {
      const body = JSON.stringify({ text, ms });
      return () => ({
        path: "/bench/noop",
        headers: { ...headers, "content-type": "application/json" },
        body,
      });
    };
    const rss = () => [api, worker].reduce((sum, { child }) => sum + rssMb(child.pid as number), 0);
    const inUseMb = async () =>
      ((await api.bytesInUse()) + (await worker.bytesInUse())) / 1024 / 1024;
    const spent = () =>
      [api, worker].reduce((sum, { child }) => sum + (cpuMs(child.pid as number) ?? 0), 0);

    async function submit(count: number, ms = 0): Promise<string> {
      const lines = Array.from({ length: count }, (_, index) =>
        JSON.stringify({ custom_id: `${index}`, operation: "bench.noop", input: { text, ms } }),
      );
      const answer = await fetch(`${api.line}/batches`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/x-ndjson" },
        body: lines.join("\n"),
      });
      return ((await answer.json()) as { data: { id: string } }).data.id;
    }

    async function statusOf(id: string): Promise<{ state: string; items: { succeeded: number } }> {
      const answer = await fetch(`${api.line}/batches/${id}`, { headers });
      return ((await answer.json()) as { data: Awaited<ReturnType<typeof statusOf>> }).data;
    }

    async function ended(id: string, count: number, see = statusOf) {
      for (;;) {
        const { state, items: counts } = await see(id);
        if (state === "ended") {
          if (counts.succeeded !== count) throw new Error(`${counts.succeeded} of ${count}`);
          return;
        }
        await sleep(20);
      }
    }

    /**
     * Times in milliseconds of status requests for a running batch, alternating with requests to
     * the bare process.
     */
    async function statusTimes(id: string, count: number) {
      const took = { batch: [] as number[], bare: [] as number[] };
      const timed = async <T>(times: number[], one: () => Promise<T>): Promise<T> => {
        const from = performance.now();
        const seen = await one();
        times.push(performance.now() - from);
        return seen;
      };
      await ended(id, count, async () => {
        const seen = await timed(took.batch, () => statusOf(id));
        await timed(took.bare, async () => (await fetch(bare.line)).json());
        return seen;
      });
      return { batch: percentile(took.batch, 0.95), bare: percentile(took.bare, 0.95) };
    }

    async function items(count: number): Promise<number> {
      const from = performance.now();
      await ended(await submit(count), count);
      return (count / (performance.now() - from)) * 1000;
    }

    /** Milliseconds from the batch's first byte to the first line of its results. */
    async function firstLine(): Promise<number> {
      const from = performance.now();
      const id = await submit(1);
      const answer = await fetch(`${api.line}/batches/${id}/results?follow=true`, { headers });
      for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
        if (bytes.length > 1) break;
      }
      return performance.now() - from;
    }

    /**
     * Sends, runs and reads a whole batch: its memory, and the times of status requests meanwhile.
     */
    async function whole(count: number) {
      const sampled = samples(rss);
      const id = await submit(count);
      const runs = await statusTimes(id, count);
      const lines = await fetch(`${api.line}/batches/${id}/results`, { headers });
      let bytes = 0;
      for await (const chunk of lines.body as unknown as AsyncIterable<Uint8Array>)
        bytes += chunk.length;
      if (bytes < count * text.length) throw new Error(`${bytes} bytes of results`);
      return { grown: sampled(), runs };
    }

    const rate = { batch: [] as number[], calls: [] as number[] };
    const work = { batch: [] as number[], calls: [] as number[] };
    const beside = { batch: [] as number[], alone: [] as number[] };
    const first = { line: [] as number[], call: [] as number[] };
    // As many items as calls, so that both take about as long; the first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const before = spent();
      const { perSecond, times } = await load(api.line, 64, seconds, shot());
      const between = spent();
      const count = Math.min(mostItems, Math.max(1000, times.length));
      const perSecondOfItems = await items(count);
      const after = spent();
      const alone = await load(api.line, 1, seconds, shot(waitMs));
      const slow = await submit(5000, waitMs);
      const near = await load(api.line, 1, seconds, shot(waitMs));
      await fetch(`${api.line}/batches/${slow}`, { method: "DELETE", headers });
      const single = await load(api.line, 1, 0.5, shot());
      const line = await firstLine();
      if (round === 0) continue;
      rate.calls.push(perSecond);
      rate.batch.push(perSecondOfItems);
      work.calls.push((between - before) / times.length);
      work.batch.push((after - between) / count);
      beside.alone.push(alone.p95);
      beside.batch.push(near.p95);
      first.call.push(single.p50);
      first.line.push(line);
    }
    const inUse = await inUseMb();
    const full = await whole(mostItems);
    const ofQuick = await statusTimes(await submit(mostItems, quickMs), mostItems);
    // Call timelines and other background writes finish meanwhile.
    await sleep(5000);
    const held = (await inUseMb()) - inUse;
    return [
      pairs(
        "items of a batch beside calls, 64 at once",
        "items/s",
        "≥ 1.3 x",
        rate.batch,
        rate.calls,
      ),
      pairs("processor time of an item, API and worker", "ms", "", work.batch, work.calls),
      pairs(
        "single call beside a batch, against alone",
        "ms p95",
        "≤ 1.25 x",
        beside.batch,
        beside.alone,
      ),
      pairs("first followed line, against a call", "ms", "+ 100 ms", first.line, first.call),
      pairs(
        "status request for a batch of 10,000 on the full machine, beside a bare process",
        "ms p95",
        "≤ 5",
        [full.runs.batch],
        [full.runs.bare],
      ),
      pairs(
        `the same where each item waits ${quickMs} ms for its upstream`,
        "ms p95",
        "≤ 5",
        [ofQuick.batch],
        [ofQuick.bare],
      ),
      {
        name: "memory of API and worker while 10,000 items are sent, run and read",
        unit: "MB more",
        goal: "± 20",
        ours: spread([full.grown]),
      },
      {
        name: "part of that still in use after a collection",
        unit: "MB more",
        goal: "± 20",
        ours: spread([held]),
      },
    ];
  } finally {
    await Promise.all([api.stop(), worker.stop(), bare.stop()]);
    await db.drop();
  }
}
