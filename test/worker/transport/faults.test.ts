import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GatewayError } from "../../../contract/errors.ts";
import type { Transport } from "../../../worker/transport/transport.ts";
import type { Upstream } from "../../../worker/transport/upstream.ts";
import { hackernews } from "../../../worker/upstreams/hackernews/client.ts";
import { weibo } from "../../../worker/upstreams/weibo/client.ts";
import { youtube, youtubeCharts } from "../../../worker/upstreams/youtube/client.ts";
import { besideMs, full } from "../../faults/full.ts";
import { spawnSimulator, type SpawnedSimulator } from "../../upstream/spawn.ts";
import {
  caller,
  counted,
  failure,
  get,
  key,
  open,
  simulator,
  transport,
  upstreamWith,
  useTransport,
} from "./rig.ts";

useTransport();

describe("case 24: slow upstream", () => {
  test("drips and silence end at the deadline and leave no socket", async () => {
    const endsInTime = async (kind: "drip_headers" | "drip_body" | "silence") => {
      const path = `/slow/${kind}`;
      simulator.on("GET", path, () => ({ body: { id: 1 } }));
      simulator.play(path, { faults: [], rest: { kind } });
      const started = Date.now();
      const request = { method: "GET" as const, path };
      const error = await failure(transport.send(upstreamWith(), request, caller(4000)));
      const expected = { type: "upstream_unavailable", status: 504, retryAfter: 5 };
      expect(error, kind).toMatchObject(expected);
      const ms = Date.now() - started;
      expect(ms, kind).toBeGreaterThanOrEqual(4000 - 1050);
      expect(ms, kind).toBeLessThanOrEqual(4000 + 1050 + besideMs);
    };
    await Promise.all((["drip_headers", "drip_body", "silence"] as const).map(endsInTime));
    await noSockets();
  });

  test("an upstream that begins no answer in time is tried again while time remains", async () => {
    const impatient = { ...upstreamWith(), silenceMs: 1500 };
    const ask = (path: string, ms: number) => {
      simulator.on("GET", path, () => ({ body: { id: 1 } }));
      simulator.play(path, { faults: [{ kind: "silence" }], rest: { kind: "pass" } });
      return transport.send(impatient, { method: "GET", path }, caller(ms));
    };
    const [reply, error] = await Promise.all([
      ask("/patient-caller", 12_000),
      failure(ask("/hasty-caller", 3500)),
    ]);
    expect(reply.status).toBe(200);
    expect(simulator.calls("/patient-caller")).toHaveLength(2);
    // No time is left for a second try, so the first has all of it.
    expect(error).toMatchObject({ status: 504 });
    expect(simulator.calls("/hasty-caller")).toHaveLength(1);
    await noSockets();
  });

  test("each provider that may be tried again is tried again", async () => {
    const free = [hackernews, weibo, youtube, youtubeCharts];
    await Promise.all(
      free.map(async (provider) => {
        const { name, silenceMs } = provider;
        const path = `/free/${name}`;
        simulator.on("GET", path, () => ({ body: { ok: 1 } }));
        simulator.play(path, { faults: [{ kind: "silence" }], rest: { kind: "pass" } });
        // The provider's own time under npm run test:faults.
        const silent = silenceMs === undefined ? {} : { silenceMs: full ? silenceMs : 1500 };
        const upstream = {
          ...upstreamWith({ judge: (reply) => provider.judge(reply) }),
          ...silent,
        };
        const request = { method: "GET" as const, path };
        const reply = await transport.send(upstream, request, caller(full ? 40_000 : 20_000));
        expect(reply.status, name).toBe(200);
        expect(simulator.calls(path), name).toHaveLength(2);
      }),
    );
    await noSockets();
  });

  test.each(["request", "headers"] as const)("a reset after the %s", async (after) => {
    simulator.play("/thing", { faults: [], rest: { kind: "reset", after } });
    const error = await failure(transport.send(upstreamWith(), get, caller()));
    const cut = after === "headers";
    expect(error).toMatchObject({ status: cut ? 502 : 503 });
    expect(simulator.calls()).toHaveLength(cut ? 2 : 3);
    await noSockets();
  });

  test("a caller who leaves closes the socket, and gets the reason", async () => {
    simulator.play("/thing", { faults: [], rest: { kind: "silence" } });
    const leaving = new AbortController();
    const pending = transport.send(upstreamWith(), get, caller(20_000, leaving.signal));
    setTimeout(() => leaving.abort(new Error("caller left")), 300);
    await expect(pending).rejects.toThrow("caller left");
    await noSockets();
  });

  async function noSockets(): Promise<void> {
    const until = Date.now() + 60_000;
    while (simulator.sockets() > 0 && Date.now() < until) await sleep(50);
    expect(simulator.sockets()).toBe(0);
  }
});

describe("case 25: bombs", () => {
  let bomber: SpawnedSimulator;
  beforeAll(async () => {
    bomber = await spawnSimulator();
  });
  afterAll(() => bomber.stop());

  test.each([
    ["10 MB of gzip that hold 10 GB", { kind: "bomb", encoding: "gzip", bytes: 10_000_000_000 }],
    ["brotli that holds 500 MB", { kind: "bomb", encoding: "br", bytes: 500_000_000 }],
    ["200 MB of plain text", { kind: "flood", bytes: 200_000_000 }],
  ] as const)("%s", async (name, fault) => {
    await bomber.play("/thing", { faults: [], rest: fault });
    const victim = open({ env: { SIM_BASE_URL: bomber.url, SIM_KEY: key } });
    const base = process.memoryUsage.rss();
    let peak = base;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
    const error = await failure(victim.send(upstreamWith(), get, caller(60_000)));
    clearInterval(watch);
    expect(error).toMatchObject({ type: "upstream_error", status: 502 });
    expect(await bomber.calls("/thing")).toHaveLength(1);
    console.log(`case 25: ${name}: ${Math.round((peak - base) / 1e6)} MB more memory at most`);
    expect((peak - base) / 1e6).toBeLessThan(300);
    await bomber.reset();
  });
});

describe("case 23: upstream down", () => {
  /** Long enough for a probe, and at full length for two. */
  const downMs = full ? 30_000 : 14_000;
  /** The transport's clock, four times as fast except at full length. */
  const pace = full ? 1 : 4;
  const origin = Date.now();
  const now = (at = Date.now()) => origin + (at - origin) * pace;

  /** Calls at a steady rate until `done`; the outcomes with their times on that clock. */
  async function load(
    transport: Transport,
    upstream: Upstream,
    perSecond: number,
    done: () => boolean,
  ) {
    const outcomes: { at: number; error: GatewayError | undefined }[] = [];
    const running: Promise<void>[] = [];
    const started = Date.now();
    for (let count = 0; !done(); count += 1) {
      const call = { ...caller(), deadline: now() + 20_000 * pace };
      const pending = transport.send(upstream, get, call).then(
        () => void outcomes.push({ at: now(), error: undefined }),
        (error: unknown) => void outcomes.push({ at: now(), error: error as GatewayError }),
      );
      running.push(pending);
      const ahead = started + ((count + 1) * 1000) / perSecond - Date.now();
      if (ahead > 1) await sleep(ahead);
    }
    await Promise.all(running);
    return outcomes;
  }

  test(`${downMs / 1000} s of 503 under 200/s, then back`, async () => {
    const upstream = upstreamWith();
    const transport = open({ now });
    simulator.play("/thing", { faults: [], rest: { kind: "status", status: 503 } });
    const started = now();
    const down = await load(transport, upstream, 200, () => now() - started > downMs);
    const calls = simulator.calls().map((call) => now(call.at) - started);

    expect(down.length).toBeGreaterThan(downMs / pace / 6);
    expect(down.every(({ error }) => error?.status === 503)).toBe(true);
    expect(calls.length / down.length).toBeLessThanOrEqual(1.1);
    console.log(`case 23: ${calls.length} upstream calls for ${down.length} calls`);
    // Until the circuit breaker opens; a busy machine notices the first refusals late.
    const opened = calls.findIndex((at, index) => at - (calls[index - 1] ?? at) > 7000);
    const [early, probes] = [calls.slice(0, opened), calls.slice(opened)];
    if (full) expect(early.length).toBeLessThan(100);
    const due = Math.floor(downMs / 12_000);
    expect(probes.length).toBeGreaterThanOrEqual(full ? due : due - 1);
    expect(probes.length).toBeLessThanOrEqual(due + 1);

    simulator.play("/thing", { faults: [] });
    const back = now();
    let good = false;
    const after = await load(transport, upstream, 200, () => {
      good ||= simulator.calls().length > calls.length;
      return good || now() - back > 15_000 + besideMs * pace;
    });
    const first = after.find(({ error }) => !error);
    console.log(`case 23: first answer ${(first?.at ?? Infinity) - back} ms after the return`);
    expect((first?.at ?? Infinity) - back).toBeLessThan(13_000 + besideMs * pace);
    const from = now();
    const closed = await load(transport, upstream, 100, () => now() - from > 3000);
    expect(closed.every(({ error }) => !error)).toBe(true);
  });

  test("one probe at a time, even when it is slow; refused connections count", async () => {
    let clock = Date.now();
    const port = new URL(simulator.url).port;
    const gone = await spawnSimulator();
    await gone.stop();
    const env: Record<string, string> = { SIM_BASE_URL: gone.url, SIM_KEY: key };
    const transport = open({ env, now: () => clock });
    const upstream = upstreamWith();
    const ask = () => transport.send(upstream, get, { ...caller(), deadline: clock + 20_000 });
    for (let count = 0; count < 25; count += 1) {
      expect(await failure(ask())).toMatchObject({ type: "upstream_unavailable", status: 503 });
    }
    const sent = counted.filter((each) => each.name === "gateway_upstream_requests_total").length;
    expect(sent).toBeGreaterThanOrEqual(20);
    await failure(ask());
    expect(counted.filter((each) => each.name === "gateway_upstream_requests_total")).toHaveLength(
      sent,
    );

    env["SIM_BASE_URL"] = `http://127.0.0.1:${port}`;
    simulator.play("/thing", { faults: [], rest: { kind: "delay", ms: 500 } });
    clock += 12_001;
    const pending = await Promise.allSettled(Array.from({ length: 20 }, ask));
    expect(pending.filter((each) => each.status === "fulfilled")).toHaveLength(1);
    expect(simulator.calls()).toHaveLength(1);
    await ask();
    expect(simulator.calls()).toHaveLength(2);
  });
});
