import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { testDatabase } from "../../test/database.ts";
import { freeCaller, pepper } from "../caller.ts";
import { type Figure, pairs } from "../figures.ts";
import { type Shot, load } from "../load.ts";
import { start } from "../process.ts";

const body = JSON.stringify({ text: "x".repeat(200) });

/** A second each, because single seconds differ by a tenth. */
const samplesPerPair = 12;

/** A trace collector that discards what it receives. */
async function collector() {
  let spans = 0;
  const server = createServer((request, response) => {
    void request.toArray().then((chunks) => {
      spans +=
        Buffer.concat(chunks as Buffer[])
          .toString()
          .split('"spanId"').length - 1;
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, spans: () => spans, stop: () => server.close() };
}

/**
 * A call through the queue, sequentially and 64 at a time, and a replay, each beside its floor; and
 * a gateway that traces one call in a hundred beside one that traces none.
 */
export async function calls(options: { rounds: number; seconds: number }): Promise<Figure[]> {
  const { rounds, seconds } = options;
  const db = await testDatabase();
  const env = {
    DATABASE_URL: db.url,
    REDIS_URL: process.env["TEST_REDIS_URL"] as string,
    KEY_PEPPER: pepper,
  };
  const sink = await collector();
  const tracing = { ...env, REDIS_PREFIX: "traced", OTEL_EXPORTER_OTLP_ENDPOINT: sink.url };
  const parts = await Promise.all([
    ...["api.ts", "worker.ts", "floor-api.ts", "floor-worker.ts", "floor-replay.ts"].map((script) =>
      start(`calls/${script}`, env),
    ),
    ...["api.ts", "worker.ts"].map((script) => start(`calls/${script}`, tracing)),
  ]);
  const [api, , floor, , floorReplay, traced] = parts.map((part) => part.line) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  try {
    const headers = { ...(await freeCaller(db)), "content-type": "application/json" };
    const ours = (): Shot => ({ path: "/bench/noop", headers, body });
    const bare = (): Shot => ({
      path: "/bench/noop",
      headers: { "content-type": "application/json" },
      body,
    });
    const keyed = (): Shot => ({
      path: "/bench/noop",
      headers: { ...headers, "idempotency-key": randomUUID() },
      body,
    });
    const again = (): Shot => ({
      path: "/bench/noop",
      headers: { ...headers, "idempotency-key": "one" },
      body,
    });

    const many = { ours: [] as number[], floor: [] as number[], keyed: [] as number[] };
    const traces = { ours: [] as number[], floor: [] as number[] };
    const single = { ours: [] as number[], floor: [] as number[] };
    const replay = { ours: [] as number[], floor: [] as number[] };
    // The first round warms both sides up and is not counted.
    for (let round = 0; round <= rounds; round += 1) {
      const figures = {
        floor64: await load(floor, 64, seconds, bare),
        ours64: await load(api, 64, seconds, ours),
        keyed64: await load(api, 64, seconds, keyed),
        floor1: await load(floor, 1, seconds, bare),
        ours1: await load(api, 1, seconds, ours),
        floorReplay: await load(floorReplay, 64, seconds, again),
        replay: await load(api, 64, seconds, again),
      };
      // Alternating, so that both see the same load of the machine.
      const pair: Record<string, number> = { [api]: 0, [traced]: 0 };
      for (let sample = 0; sample < samplesPerPair; sample += 1)
        for (const url of sample % 2 === 0 ? [api, traced] : [traced, api])
          pair[url] = (pair[url] ?? 0) + (await load(url, 64, 1, ours)).perSecond / samplesPerPair;
      if (round === 0) continue;
      traces.ours.push(pair[traced] as number);
      traces.floor.push(pair[api] as number);
      many.ours.push(figures.ours64.perSecond);
      many.floor.push(figures.floor64.perSecond);
      many.keyed.push(figures.keyed64.perSecond);
      single.ours.push(figures.ours1.p50);
      single.floor.push(figures.floor1.p50);
      replay.ours.push(figures.replay.perSecond);
      replay.floor.push(figures.floorReplay.perSecond);
    }
    if (sink.spans() === 0) throw new Error("no span was sent: tracing was not measured");
    return [
      pairs("call through the queue, 64 at once", "calls/s", "≥ 1.0 x", many.ours, many.floor),
      pairs("the same with an Idempotency-Key", "calls/s", "", many.keyed, many.floor),
      pairs(
        "call through the queue, one at a time",
        "ms p50",
        "floor + 5 ms, then + 2 ms",
        single.ours,
        single.floor,
      ),
      pairs(
        "call with traces of one in a hundred, beside one without",
        "calls/s",
        "≥ 0.97 x",
        traces.ours,
        traces.floor,
      ),
      pairs("replay, 64 at once", "calls/s", "≥ 0.7 x", replay.ours, replay.floor),
    ];
  } finally {
    await Promise.all(parts.map((part) => part.stop()));
    sink.stop();
    await db.drop();
  }
}
