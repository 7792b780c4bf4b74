import { afterEach, expect, test, vi } from "vitest";
import { getMoved } from "../../../worker/transport/moved.ts";
import type { Reply, Upstream } from "../../../worker/transport/upstream.ts";
import { judgeByStatus } from "../../../worker/transport/verdicts.ts";

const upstream: Upstream = {
  name: "sample",
  silenceMs: 1000,
  baseUrl: { env: "SAMPLE_BASE_URL", default: "https://sample.example/api/v1" },
  credentials: [],
  judge: judgeByStatus,
};
afterEach(() => vi.unstubAllEnvs());

/** The paths that were requested where each of them but the last leads to the next location. */
async function pathsTo(...locations: string[]): Promise<string[]> {
  const paths: string[] = [];
  const send = (_: Upstream, { path }: { path: string }) => {
    const location = locations[paths.push(path) - 1];
    const reply: Reply =
      location === undefined
        ? { status: 200, headers: {}, body: {} }
        : { status: 301, headers: { location }, body: undefined };
    return Promise.resolve(reply);
  };
  await getMoved({ send }, upstream, { path: "/things/a" }, "thing");
  return paths;
}

test.each([
  [undefined, "/api/v1/things/b"],
  [undefined, "https://sample.example/api/v1/things/b"],
  [undefined, "b"],
  ["http://mirror.example:8080/sample", "/sample/things/b"],
  ["http://mirror.example:8080/sample", "http://mirror.example:8080/sample/things/b"],
  // A mirror may pass on the source's own addresses.
  ["http://mirror.example:8080/sample", "https://sample.example/api/v1/things/b"],
])("a record that moved is followed below the base URL (%s, %s)", async (base, location) => {
  vi.stubEnv("SAMPLE_BASE_URL", base);
  expect(await pathsTo(location)).toEqual(["/things/a", "/things/b"]);
  expect(await pathsTo(location, location)).toHaveLength(3);
});

test.each([
  ["https://elsewhere.example/api/v1/things/b"],
  ["http://sample.example/api/v1/things/b"],
  ["/internal/b"],
  ["/api/v1/../internal"],
  ["/api/v1/%2e%2e/internal"],
  [""],
  ["b", "b", "b"],
])("%s is not followed", async (...locations) => {
  await expect(pathsTo(...locations)).rejects.toThrow("There is no such thing");
});
