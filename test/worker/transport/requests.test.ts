import { describe, expect, test } from "vitest";
import type { Verdict } from "../../../worker/transport/upstream.ts";
import {
  alerts,
  caller,
  failure,
  get,
  judge,
  key,
  open,
  simulator,
  statuses,
  transport,
  upstreamWith,
  useTransport,
} from "./rig.ts";

/** The fields of a request to an upstream, and its permitted destinations. */

useTransport();

describe("contact of the operator", () => {
  const asking = { credentials: [], contact: { required: true, query: "email" } };

  test("user agent and query carry it, and the caller's own query stays", async () => {
    const withContact = open({
      env: { SIM_BASE_URL: simulator.url, SIM_KEY: key, CONTACT: "ops@example.com" },
    });
    await withContact.send(upstreamWith(asking), { ...get, query: { q: "a" } }, caller());
    const [sent] = simulator.calls();
    expect(sent?.query).toEqual({ q: "a", email: "ops@example.com" });
    expect(sent?.headers["user-agent"]).toBe("public-data-gateway/1.0 (ops@example.com)");
  });

  test("without one no call, and the operator learns the variable", async () => {
    const error = await failure(transport.send(upstreamWith(asking), get, caller()));
    expect(error).toMatchObject({ type: "upstream_unavailable", status: 503 });
    expect(error.retryAfter).toBeUndefined();
    expect(simulator.calls()).toHaveLength(0);
    expect(alerts()[0]?.fields).toMatchObject({ reason: "contact_missing", variable: "CONTACT" });
  });
});

describe("optional credentials", () => {
  const optional = { credential: "SIM_KEY" };
  const optionally = () => upstreamWith({ credentials: [], optional });

  test("one that is set is sent, one that is not is no fault", async () => {
    await transport.send(optionally(), get, caller());
    const without = open({ env: { SIM_BASE_URL: simulator.url } });
    const bare = {
      ...optionally(),
      authorize: ({ SIM_KEY }: Record<string, string>) => ({ x: SIM_KEY ?? "none" }),
    };
    await without.send(bare, get, caller());
    const [first, second] = simulator.calls();
    expect(first?.headers.authorization).toBe(`Bearer ${key}`);
    expect(second?.headers).toMatchObject({ x: "none" });
  });
});

describe("servers that callers choose", () => {
  const chosen = (url: string) =>
    upstreamWith({
      credentials: [],
      authorize: () => ({}),
      baseUrl: { env: "NOT_SET", default: url },
      server: { host: "chosen.example", field: "instance" },
    });

  test("the address of an operator's own upstream is refused, although it is trusted", async () => {
    await transport.send(upstreamWith(), get, caller());
    const error = await failure(transport.send(chosen(simulator.url), get, caller()));
    expect(error).toMatchObject({
      type: "validation_error",
      issues: [{ path: "instance", code: "destination_not_allowed" }],
    });
    expect(simulator.calls()).toHaveLength(1);
    expect(alerts()).toEqual([]);
  });

  test("faults open no circuit breaker", async () => {
    simulator.play("/thing", { faults: [], rest: { kind: "status", status: 501 } });
    const own = { ...chosen(simulator.url), baseUrl: upstreamWith().baseUrl };
    const failing = {
      ...own,
      judge: () => ({ ...judge({ status: 503, body: {} }), retry: false }) as Verdict,
    };
    for (let turn = 0; turn < 25; turn += 1) {
      await failure(transport.send(failing, get, caller()));
    }
    expect(simulator.calls()).toHaveLength(25);
  });
});

describe("permitted destinations", () => {
  test("an inside address is refused unless the operator's base URL names it", async () => {
    const inside = { env: "OTHER_BASE_URL", default: simulator.url };
    const error = await failure(transport.send(upstreamWith({ baseUrl: inside }), get, caller()));
    expect(error).toMatchObject({ type: "upstream_unavailable", status: 503, retryAfter: 30 });
    expect(simulator.calls()).toEqual([]);
    const allowed = open({ egressAllow: [`127.0.0.1:${simulator.port}`] });
    await allowed.send(upstreamWith({ baseUrl: inside }), get, caller());
    expect(simulator.calls()).toHaveLength(1);
  });

  test("an unknown name is not tried again, an invalid base URL is the operator's fault", async () => {
    const nowhere = open({ env: { SIM_KEY: key } });
    const error = await failure(nowhere.send(upstreamWith(), get, caller()));
    expect(error).toMatchObject({ type: "upstream_unavailable", status: 503, retryAfter: 30 });
    const wrong = open({ env: { SIM_KEY: key, SIM_BASE_URL: "nonsense" } });
    const unknownName = await failure(wrong.send(upstreamWith(), get, caller()));
    expect(unknownName).toMatchObject({ type: "upstream_unavailable", status: 503 });
    expect(alerts().map(({ fields }) => fields)).toMatchObject([
      { reason: "address" },
      { variable: "SIM_BASE_URL" },
    ]);
  });
});

describe("hasCredentials", () => {
  test("reports whether every credential of an upstream is set", async () => {
    expect(await transport.hasCredentials(upstreamWith())).toBe(true);
    expect(await transport.hasCredentials(upstreamWith({ credentials: [] }))).toBe(true);
    const two = upstreamWith({ credentials: ["SIM_KEY", "SIM_OTHER"] });
    expect(await transport.hasCredentials(two)).toBe(false);
    const unreadable = open({ env: { SIM_KEY_FILE: "/nowhere/at/all" } });
    expect(await unreadable.hasCredentials(upstreamWith())).toBe(false);
  });
});

describe("fetchFor", () => {
  test("sends a library's requests, without a verdict", async () => {
    const fetched = transport.fetchFor(upstreamWith(), caller());
    const init = { method: "POST", body: '{"a":1}', headers: { "x-own": "1" } };
    const response = await fetched("https://www.example/thing?b=2", init);
    expect(await response.json()).toEqual({ got: { a: 1 } });
    expect(response.url).toBe("https://www.example/thing?b=2");
    expect(simulator.calls()[0]).toMatchObject({
      query: { b: "2" },
      headers: { "x-own": "1", authorization: `Bearer ${key}` },
    });
    simulator.play("/thing", { faults: statuses(404, 302, 500) });
    expect((await fetched("https://www.example/thing")).status).toBe(404);
    expect((await fetched("https://www.example/thing")).status).toBe(302);
    expect((await fetched("https://www.example/thing")).status).toBe(200);
    simulator.play("/thing", { faults: [], rest: { kind: "status", status: 429 } });
    expect(await failure(fetched("https://www.example/thing"))).toMatchObject({
      type: "upstream_unavailable",
    });
  });

  test("does not reach inside addresses", async () => {
    const free = open({ env: { SIM_KEY: key } });
    const fetched = free.fetchFor(upstreamWith(), caller());
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"]) {
      const error = await failure(fetched(`http://${host}:${simulator.port}/thing`));
      expect(error).toMatchObject({ type: "upstream_unavailable" });
    }
    expect(simulator.calls()).toEqual([]);
  });
});
