import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import { SamplingDecision } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { parentOf } from "../../../runtime/tracing/context.ts";
import { samplerOf } from "../../../runtime/tracing/sampling.ts";
import { startTracing, isTracingEnabled } from "../../../runtime/tracing/tracing.ts";
import { pathTemplates } from "../../../worker/sandbox/path-templates.ts";
import { samples } from "../../../worker/sandbox/samples.ts";

/** Starts tracing in its own process and returns the loaded OpenTelemetry modules. */
function loaded(env: Record<string, string>): string[] {
  const script = `
    import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({
      load(url, context, next) {
        if (url.includes("@opentelemetry")) seen.push(url);
        return next(url, context);
      },
    });
    const { startTracing } = await import("./runtime/tracing/tracing.ts");
    const tracing = await startTracing({ role: "api", env: process.env, warn() {} });
    console.log(JSON.stringify({ on: tracing !== undefined, seen }));
    process.exit(0);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: `${import.meta.dirname}/../../..`,
    env: { PATH: process.env["PATH"], ...env },
    encoding: "utf8",
  });
  expect(stderr).not.toMatch(/Error/);
  const { on, seen } = JSON.parse(stdout) as { on: boolean; seen: string[] };
  expect(on).toBe(seen.length > 0);
  return seen;
}

test("without an address no OpenTelemetry module is loaded", () => {
  expect(loaded({})).toEqual([]);
  expect(
    loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9", OTEL_SDK_DISABLED: "true" }),
  ).toEqual([]);
  expect(loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" })).not.toEqual([]);
}, 120_000);

test("the variables that switch it on and off are OpenTelemetry's own", () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
  expect(isTracingEnabled({})).toBe(false);
  expect(isTracingEnabled({ OTEL_EXPORTER_OTLP_ENDPOINT: "" })).toBe(false);
  expect(isTracingEnabled(endpoint)).toBe(true);
  expect(
    isTracingEnabled({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://collector:4318/v1/traces" }),
  ).toBe(true);
  expect(isTracingEnabled({ ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toBe(false);
});

/** Number of sampled requests among a thousand without a parent. */
function rootsSampled(env: Record<string, string>): number {
  const sampler = samplerOf(env, () => undefined);
  let count = 0;
  for (let index = 0; index < 1000; index += 1) {
    // Ids whose last digits are spread evenly.
    const traceId = `${"0".repeat(16)}${Math.floor((index / 1000) * 2 ** 32)
      .toString(16)
      .padStart(8, "0")
      .repeat(2)}`;
    const { decision } = sampler.shouldSample(ROOT_CONTEXT, traceId, "", SpanKind.SERVER, {}, []);
    if (decision === SamplingDecision.RECORD_AND_SAMPLED) count += 1;
  }
  return count;
}

test("a hundredth is sampled by default; an invalid sampler is named", () => {
  expect(rootsSampled({ OTEL_TRACES_SAMPLER: "always_on" })).toBe(1000);
  expect(rootsSampled({ OTEL_TRACES_SAMPLER: "parentbased_always_off" })).toBe(0);
  expect(samplerOf({}, () => undefined).toString()).toMatch(/ParentBased.*TraceIdRatio.*0\.01/);
  expect(samplerOf({ OTEL_TRACES_SAMPLER_ARG: "0.25" }, () => undefined).toString()).toContain(
    "0.25",
  );
  const warnings: string[] = [];
  const env = { OTEL_TRACES_SAMPLER: "sometimes", OTEL_TRACES_SAMPLER_ARG: "2" };
  expect(samplerOf(env, (message) => warnings.push(message)).toString()).toContain("0.01");
  expect(warnings).toHaveLength(2);
});

test("values that OpenTelemetry cannot use are named, and usable ones are not", async () => {
  const warnings = async (env: Record<string, string>) => {
    const said: string[] = [];
    await startTracing({ role: "api", env, warn: (message) => said.push(message) });
    return said;
  };
  expect(await warnings({ OTEL_SDK_DISABLED: "maybe", OTEL_TRACES_EXPORTER: "zipkin" })).toEqual([
    "OTEL_SDK_DISABLED is neither true nor false",
    "OTEL_TRACES_EXPORTER is neither otlp nor none",
  ]);
  const unusable = {
    OTEL_BSP_SCHEDULE_DELAY: "-5",
    OTEL_RESOURCE_ATTRIBUTES: "a",
    OTEL_SDK_DISABLED: "true",
  };
  expect(
    await warnings({ ...unusable, OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" }),
  ).toHaveLength(3);
  const usable = {
    OTEL_SDK_DISABLED: "TRUE",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Basic YQ==,b=",
  };
  expect(await warnings(usable)).toEqual([]);
});

test("traceparent is read by the rules of W3C Trace Context, and an invalid one is ignored", () => {
  const id = "0af7651916cd43dd8448eb211c80319c";
  expect(parentOf(`00-${id}-b7ad6b7169203331-01`, "a=1")).toMatchObject({
    traceId: id,
    spanId: "b7ad6b7169203331",
    traceFlags: 1,
    isRemote: true,
  });
  for (const odd of [undefined, 7, "", "00-odd", `00-${"0".repeat(32)}-b7ad6b7169203331-01`]) {
    expect(parentOf(odd, undefined)).toBeUndefined();
  }
});

test("an unreachable collector costs a call nothing and a stop two seconds at most", async () => {
  // Accepts connections and never answers.
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const port = (silent.address() as AddressInfo).port;
  const before = process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
  process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = `http://127.0.0.1:${port}`;
  try {
    const tracing = await startTracing({
      role: "api",
      env: { ...process.env, OTEL_TRACES_SAMPLER: "always_on" },
      warn: () => undefined,
    });
    const story = { fate: "ran", at: 0, status: 200, method: "GET", api: "a", stages: {} } as const;
    // More than the queue holds.
    for (let index = 0; index < 5000; index += 1) {
      const at = Date.now();
      const call = tracing?.request({}, at);
      expect(call?.sent().traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
      call?.end(story, [{ name: "edge", at }], at + 1, "/account");
    }
    const from = performance.now();
    await tracing?.stop();
    const ms = performance.now() - from;
    console.log(`stopped ${Math.round(ms)} ms after the stop signal`);
    expect(ms).toBeLessThan(60_000);
  } finally {
    if (before === undefined) delete process.env["OTEL_EXPORTER_OTLP_ENDPOINT"];
    else process.env["OTEL_EXPORTER_OTLP_ENDPOINT"] = before;
    silent.close();
  }
});

test("a path is exported as its template, or not at all", () => {
  const template = pathTemplates(samples);
  expect(template("hackernews", "GET", "/v0/user/somebody.json")).toBe("/v0/user/{id}.json");
  expect(template("dataforseo", "POST", "/v3/backlinks/backlinks/live")).toBe(
    "/v3/backlinks/backlinks/live",
  );
  expect(template("hackernews", "GET", "/v0/somebody")).toBeUndefined();
  expect(template("nobody", "GET", "/v0/user/somebody.json")).toBeUndefined();
});
