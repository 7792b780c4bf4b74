import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, test } from "vitest";
import type { Verdict } from "../../../worker/transport/upstream.ts";
import { until } from "../../gateway.ts";
import { startRedis } from "../../redis.ts";
import {
  alerts,
  caller,
  counted,
  failure,
  get,
  judge,
  key,
  logged,
  open,
  simulator,
  statuses,
  transport,
  upstreamWith,
  useTransport,
} from "./rig.ts";

useTransport();

describe("case 22: status of an upstream", () => {
  test("500, 500, 200: three calls and an answer", async () => {
    simulator.play("/thing", { faults: statuses(500, 500) });
    const reply = await transport.send(upstreamWith(), get, caller());
    expect(reply).toMatchObject({ status: 200, body: { id: 1 } });
    expect(simulator.calls()).toHaveLength(3);
  });

  test.each([500, 502, 503, 504, 408, 425, 429])(
    "always %i: three calls and 503",
    async (status) => {
      simulator.play("/thing", { faults: [], rest: { kind: "status", status } });
      const error = await failure(transport.send(upstreamWith(), get, caller()));
      expect(error).toMatchObject({ type: "upstream_unavailable", status: 503, retryAfter: 5 });
      expect(simulator.calls()).toHaveLength(3);
    },
  );

  test("401: one call, 503, the operator is notified, the key is not logged", async () => {
    simulator.play("/thing", { faults: [], rest: { kind: "status", status: 401 } });
    const error = await failure(transport.send(upstreamWith({ name: "sim" }), get, caller()));
    expect(error).toMatchObject({ type: "upstream_unavailable", status: 503, retryAfter: 30 });
    expect(simulator.calls()).toHaveLength(1);
    expect(alerts()).toHaveLength(1);
    expect(alerts()[0]?.fields).toMatchObject({ upstream: "sim", reason: "credential_refused" });
    expect(counted).toContainEqual({
      name: "gateway_operator_alerts_total",
      labels: { upstream: "sim", reason: "credential_refused" },
    });
    expect(JSON.stringify([logged, counted])).not.toContain(key);
  });

  test("429 with Retry-After 1: the second call after a second or more", async () => {
    const headers = { "retry-after": "1" };
    simulator.play("/thing", { faults: [{ kind: "status", status: 429, headers }] });
    await transport.send(upstreamWith(), get, caller());
    const [first, second, ...more] = simulator.calls();
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1000);
    expect(more).toEqual([]);
  });

  test("a Retry-After beyond half of the remaining time is passed on at once", async () => {
    const headers = { "retry-after": "11" };
    simulator.play("/thing", { faults: [], rest: { kind: "status", status: 429, headers } });
    const error = await failure(transport.send(upstreamWith(), get, caller(20_000)));
    expect(error).toMatchObject({ status: 503, retryAfter: 11 });
    expect(simulator.calls()).toHaveLength(1);
  });

  test.each([
    [404, "not_found", 404],
    [400, "upstream_error", 502],
    [302, "upstream_error", 502],
  ])("%i: one call and %s", async (status, type, own) => {
    const headers = { location: `${simulator.url}/thing` };
    simulator.play("/thing", { faults: [{ kind: "status", status, headers }] });
    const error = await failure(transport.send(upstreamWith(), get, caller()));
    expect(error).toMatchObject({ type, status: own, retryAfter: undefined });
    expect(simulator.calls()).toHaveLength(1);
  });

  test("an upstream client adds retries, forbids them, and names the pause", async () => {
    const refusal = { ok: false, type: "upstream_error", message: "x" } as const;
    const run = async (verdict: Partial<Verdict>, status: number) => {
      simulator.reset();
      simulator.play("/thing", { faults: [], rest: { kind: "status", status } });
      const upstream = upstreamWith({ judge: () => ({ ...refusal, ...verdict }) as Verdict });
      await failure(transport.send(upstream, get, caller()));
      return simulator.calls().map((call) => call.at);
    };
    expect(await run({}, 400)).toHaveLength(1);
    expect(await run({ retry: true }, 400)).toHaveLength(3);
    expect(await run({ retry: true, retries: 3 }, 200)).toHaveLength(4);
    expect(await run({ retry: false }, 500)).toHaveLength(1);
    const paused = await run({ retry: true, retries: 1, pauseMs: 1200 }, 200);
    expect(paused).toHaveLength(2);
    expect((paused[1] ?? 0) - (paused[0] ?? 0)).toBeGreaterThanOrEqual(1200);
  });
});

describe("credentials", () => {
  test("a missing credential is the operator's fault and names the variable", async () => {
    const lonely = open({ env: { SIM_BASE_URL: simulator.url } });
    const error = await failure(lonely.send(upstreamWith(), get, caller()));
    expect(error).toMatchObject({
      type: "upstream_unavailable",
      status: 503,
      message: "This gateway has no access to the data source",
      retryAfter: undefined,
    });
    expect(error.message).not.toContain("SIM_KEY");
    expect(alerts()).toHaveLength(1);
    expect(alerts()[0]?.fields).toMatchObject({
      reason: "credential_missing",
      variable: "SIM_KEY",
    });
    expect(simulator.calls()).toEqual([]);
  });

  test("a credential that belongs in the query goes there, and is not logged", async () => {
    const upstream = upstreamWith({ name: "sim", credentialQuery: { apikey: "SIM_KEY" } });
    delete upstream.authorize;
    await transport.send(upstream, { ...get, query: { size: 1 } }, caller());
    expect(simulator.calls()[0]?.query).toEqual({ size: "1", apikey: key });
    simulator.play("/thing", { faults: [], rest: { kind: "status", status: 401 } });
    const error = await failure(transport.send(upstream, get, caller()));
    expect(JSON.stringify([error.message, logged, counted])).not.toContain(key);
  });

  test("a token is fetched once for all, kept, and fetched anew when it is refused", async () => {
    let issued = 0;
    simulator.on("POST", "/token", async () => {
      await sleep(50);
      issued += 1;
      return { body: { access_token: `token-${issued}`, expires_in: 3600 } };
    });
    simulator.on("GET", "/guarded", (request) =>
      request.headers["authorization"] === `Bearer token-${issued}`
        ? { body: { ok: true } }
        : { status: 401, body: {} },
    );
    const issuer = upstreamWith();
    const guarded = upstreamWith({
      authorize: async (_secrets, tokens) => {
        const token = await tokens.get(async (send) => {
          const form = { grant_type: "client_credentials" };
          const { body } = await send(issuer, { method: "POST", path: "/token", form });
          const { access_token, expires_in } = body as { access_token: string; expires_in: number };
          return { value: access_token, expiresIn: expires_in };
        });
        return { authorization: `Bearer ${token}` };
      },
      judge: (reply) => ({ ...judge(reply), reauthorize: reply.status === 401 }) as Verdict,
    });
    const heard: string[] = [];
    const listened = open({ heard: ({ path }) => heard.push(path) });
    const ask = () => listened.send(guarded, { method: "GET", path: "/guarded" }, caller());
    await Promise.all([ask(), ask(), ask(), ask()]);
    expect(heard, "no listener gets a token").toEqual(Array(4).fill("/guarded"));
    expect(issued).toBe(1);
    expect(simulator.calls("/token")[0]).toMatchObject({ body: "grant_type=client_credentials" });

    issued += 1;
    await Promise.all([ask(), ask(), ask()]);
    expect(issued).toBe(3);
    expect(alerts()).toEqual([]);

    simulator.play("/guarded", { faults: [], rest: { kind: "status", status: 401 } });
    simulator.reset();
    simulator.play("/guarded", { faults: [], rest: { kind: "status", status: 401 } });
    await failure(ask());
    expect(simulator.calls("/guarded")).toHaveLength(2);
    expect(alerts()).toHaveLength(1);
  });
});

describe("answers", () => {
  test("big integers arrive as strings", async () => {
    const path = "/api/v1/tiktok/app/v3/fetch_video_search_result";
    const query = { keyword: "total:21", offset: 20, count: 20 };
    const reply = await transport.send(upstreamWith(), { method: "GET", path, query }, caller());
    const { data } = reply.body as { data: Record<string, unknown> };
    expect(data).toMatchObject({ has_more: 0, cursor: 21 });
    const [found] = data["search_item_list"] as { aweme_info: { music: Record<string, string> } }[];
    expect(found?.aweme_info.music["id"]).toBe(found?.aweme_info.music["mid"]);
  });

  test("JSON is sent and read, whatever its content type is", async () => {
    simulator.play("/thing", { faults: [{ kind: "content_type", value: "text/html" }] });
    const body = [{ keyword: "ä" }];
    const reply = await transport.send(
      upstreamWith(),
      { method: "POST", path: "/thing", body },
      caller(),
    );
    expect(reply.body).toEqual({ got: body });
  });

  test.each([{ kind: "truncate" }, { kind: "half" }, { kind: "bad_json" }] as const)(
    "a body cut off ($kind) is fetched once more",
    async (fault) => {
      simulator.play("/thing", { faults: [fault] });
      const reply = await transport.send(upstreamWith(), get, caller());
      expect(reply.body).toEqual({ id: 1 });
      simulator.reset();
      simulator.play("/thing", { faults: [], rest: fault });
      const error = await failure(transport.send(upstreamWith(), get, caller()));
      expect(error).toMatchObject({ type: "response_shape_error", status: 502 });
      expect(simulator.calls()).toHaveLength(2);
    },
  );

  test("an upstream client may forbid the second fetch", async () => {
    const stop = { ok: false, type: "response_shape_error", message: "x", retry: false } as const;
    simulator.play("/thing", { faults: [], rest: { kind: "truncate" } });
    await failure(transport.send(upstreamWith({ judge: () => stop }), get, caller()));
    expect(simulator.calls()).toHaveLength(1);
  });

  test("a page in place of JSON reaches the verdict without a body", async () => {
    simulator.on("GET", "/page", () => ({
      headers: { "content-type": "text/html" },
      body: "<html>",
    }));
    const error = await failure(
      transport.send(upstreamWith(), { method: "GET", path: "/page" }, caller()),
    );
    expect(error).toMatchObject({ type: "response_shape_error", message: "not JSON" });
    expect(simulator.calls()).toHaveLength(1);
  });
});

describe("limits of an account", () => {
  test("apply to all clients of a credential", async () => {
    simulator.play("/thing", { faults: [], rest: { kind: "delay", ms: 400 } });
    const limits = { simultaneous: 3 };
    const limitPrefix = `test:${randomUUID()}`;
    const [one, other] = [open({ limitPrefix }), open({ limitPrefix })];
    const calls = Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? one : other).send(upstreamWith({ limits }), get, caller()),
    );
    await Promise.all(calls);
    expect(simulator.most()).toBe(3);
  });

  test("no slot before the deadline is 504", async () => {
    simulator.play("/thing", { faults: [], rest: { kind: "delay", ms: 5000 } });
    const upstream = upstreamWith({ limits: { simultaneous: 1 } });
    const first = transport.send(upstream, get, caller());
    await until(() => simulator.calls().length === 1);
    const error = await failure(transport.send(upstream, get, caller(2500)));
    expect(error).toMatchObject({ status: 504, retryAfter: 5 });
    await first;
    expect(simulator.calls()).toHaveLength(1);
  });

  test("a day's limit that is used up is told at once, and no server of the operator's own has one", async () => {
    const limits = { perDay: 1 };
    const published = upstreamWith({
      limits,
      credentials: [],
      authorize: () => ({}),
      baseUrl: { env: "NOT_SET", default: simulator.url },
    });
    const trusting = open({ egressAllow: [new URL(simulator.url).host] });
    await trusting.send(published, get, caller());
    const error = await failure(trusting.send(published, get, caller()));
    expect(error).toMatchObject({ type: "upstream_unavailable", status: 503, retryAfter: 30 });
    const heavy = upstreamWith({ limits, units: () => 2 });
    for (let sent = 0; sent < 2; sent += 1) await transport.send(heavy, get, caller());
    expect(simulator.calls()).toHaveLength(3);
  });

  test("without Redis nothing is sent, and 503 follows when the time is over", async () => {
    const down = new Redis("redis://127.0.0.1:1", { maxRetriesPerRequest: 0 });
    down.on("error", () => {});
    const cut = open({ redis: down });
    const started = Date.now();
    const error = await failure(
      cut.send(upstreamWith({ limits: { simultaneous: 1 } }), get, caller(3000)),
    );
    expect(error).toMatchObject({ type: "upstream_unavailable", status: 503 });
    expect(Date.now() - started).toBeGreaterThan(1500);
    expect(simulator.calls()).toEqual([]);
    down.disconnect();
  });

  test("a Redis that is full for a while delays a request and fails none", async () => {
    const full = await startRedis({ own: true });
    const own = new Redis(full.url);
    const waiting = open({ redis: own });
    const upstream = upstreamWith({ limits: { perSecond: 5 } });
    await own.config("SET", "maxmemory", "10kb");
    const pending = waiting.send(upstream, get, caller());
    await sleep(1500);
    expect(simulator.calls()).toEqual([]);
    await own.config("SET", "maxmemory", "0");
    expect(await pending).toMatchObject({ status: 200 });
    await waiting.close();
    own.disconnect();
    await full.stop();
  });
});
