import { expect, test } from "vitest";
import { checkUpstreams } from "../../../cli/doctor/upstreams.ts";
import { upstreams } from "../../../worker/sandbox/upstreams.ts";
import { samples } from "../../../worker/sandbox/samples.ts";
import type { Upstream } from "../../../worker/transport/upstream.ts";

test("every upstream is listed once, with its samples", () => {
  const names = upstreams.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  // The other form of X's credential has the same answers.
  const sampled = samples.map(({ upstream: name }) => name);
  expect(names.filter((name) => !sampled.includes(name))).toEqual(["x-app"]);
});

const upstream: Upstream = {
  name: "example",
  baseUrl: { env: "EXAMPLE_BASE_URL", default: "https://api.example.com" },
  credentials: ["EXAMPLE_USER", "EXAMPLE_PASSWORD"],
  judge: () => ({ ok: true }),
};

test("names the missing contact of a source that requires one", async () => {
  const open: Upstream = { ...upstream, credentials: [], contact: { required: true } };
  expect(await checkUpstreams({}, [open])).toMatchObject([
    { verdict: "warn", message: expect.stringContaining("CONTACT") },
  ]);
  expect(await checkUpstreams({ CONTACT: "ops@example.com" }, [open])).toMatchObject([
    { verdict: "ok" },
  ]);
});

test("names every missing variable, and no value", async () => {
  const env = { EXAMPLE_USER: "somebody", EXAMPLE_PASSWORD_FILE: "/nowhere/password" };
  expect(await checkUpstreams({}, [upstream])).toMatchObject([
    { verdict: "warn", message: expect.stringContaining("EXAMPLE_USER, EXAMPLE_PASSWORD.") },
  ]);
  const [half] = await checkUpstreams(env, [upstream]);
  expect(half?.message).toContain("EXAMPLE_PASSWORD_FILE.");
  expect(half?.message).not.toContain("somebody");
  expect(await checkUpstreams({ ...env, EXAMPLE_PASSWORD: "hidden" }, [upstream])).toMatchObject([
    { verdict: "ok", message: expect.not.stringContaining("hidden") },
  ]);
});
