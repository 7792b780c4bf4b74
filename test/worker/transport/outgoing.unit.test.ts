import { describe, expect, test } from "vitest";
import {
  baseUrlOf,
  fromFetch,
  outgoingOf,
  withCredentials,
} from "../../../worker/transport/outgoing.ts";
import type { Upstream } from "../../../worker/transport/upstream.ts";

const upstream: Upstream = {
  name: "made-up",
  baseUrl: { env: "MADE_UP_BASE_URL", default: "https://api.example/v1" },
  credentials: [],
  judge: () => ({ ok: true }),
};
const base = (env: Record<string, string> = {}) => {
  const found = baseUrlOf(upstream, env);
  if (!found) throw new Error("no base");
  return found;
};

test("the operator's base URL replaces the default one", () => {
  expect(base()).toMatchObject({ configured: false, address: "api.example:443" });
  const own = base({ MADE_UP_BASE_URL: "http://[::1]:8080/x/" });
  expect(own).toMatchObject({ configured: true, address: "::1:8080" });
  expect(outgoingOf(own, { method: "GET", path: "/a" }, {}).path).toBe("/x/a");
});

test.each(["api.example", "ftp://api.example", "http://"])("%s is no base URL", (value) => {
  expect(baseUrlOf(upstream, { MADE_UP_BASE_URL: value })).toBeUndefined();
});

describe("outgoingOf", () => {
  test.each([
    [5e-7, "0.0000005"],
    [-1.25e-7, "-0.000000125"],
    [1e21, "1000000000000000000000"],
    [0.1, "0.1"],
    [-0, "0"],
    [20_000, "20000"],
  ])("writes the number %d in plain digits", (n, text) => {
    const { path } = outgoingOf(base(), { method: "GET", path: "/s", query: { n } }, {});
    expect(path.split("?")[1]).toBe(`n=${text}`);
  });

  test("joins base, path and query", () => {
    const query = { q: "a b+c&d", page: 2, all: true, none: undefined };
    const outgoing = outgoingOf(base(), { method: "GET", path: "/s", query }, {});
    expect(outgoing.origin).toBe("https://api.example");
    expect(outgoing.path).toBe("/v1/s?q=a%20b%2Bc%26d&page=2&all=true");
    expect(outgoing.body).toBeUndefined();
  });

  test("a repeated parameter occurs once for each value", () => {
    const repeated = { filter: ["a:b", "c"], none: [] };
    const outgoing = outgoingOf(
      base(),
      { method: "GET", path: "/s", query: { q: 1 }, repeated },
      {},
    );
    expect(outgoing.path).toBe("/v1/s?q=1&filter=a%3Ab&filter=c");
  });

  test("sends JSON or a form; the credential wins over the request's own headers", () => {
    const request = {
      method: "POST",
      path: "/s",
      headers: { Authorization: "x", "X-A": "1" },
    } as const;
    const json = outgoingOf(base(), { ...request, body: [{ a: 1 }] }, { authorization: "y" });
    expect(json.body).toBe('[{"a":1}]');
    expect(json.headers).toMatchObject({
      "content-type": "application/json",
      authorization: "y",
      "x-a": "1",
    });
    const form = outgoingOf(base(), { ...request, form: { grant_type: "a b" } }, {});
    expect(form.body).toBe("grant_type=a+b");
    expect(form.headers["content-type"]).toBe("application/x-www-form-urlencoded");
  });

  test.each(["s", "/a/../b", "/a/%2e%2E/b", "/..", "/a/."])("refuses the path %s", (path) => {
    expect(() => outgoingOf(base(), { method: "GET", path }, {})).toThrow("not a path");
  });
});

test("a library's requests go to the operator's base URL", async () => {
  const init = { method: "POST", body: "{}", headers: { "X-A": "1", Host: "other" } };
  const fetched = await fromFetch("https://www.example/youtubei/v1/x?a=1", init);
  expect(fetched.outgoing(base(), {})).toMatchObject({
    origin: "https://www.example",
    path: "/youtubei/v1/x?a=1",
    method: "POST",
    body: Buffer.from("{}"),
  });
  const own = fetched.outgoing(base({ MADE_UP_BASE_URL: "http://127.0.0.1:9" }), { k: "v" });
  expect(own).toMatchObject({ origin: "http://127.0.0.1:9", path: "/youtubei/v1/x?a=1" });
  expect(own.headers).toMatchObject({ "x-a": "1", k: "v" });
  expect(own.headers).not.toHaveProperty("host");
});

test("credentials that belong in the query are added there, encoded", () => {
  const upstream = { credentialQuery: { apikey: "EXAMPLE_KEY" } };
  const secrets = { EXAMPLE_KEY: "a b&c" };
  const bare = { origin: "https://api.example", path: "/v2/events", method: "GET", headers: {} };
  const sent = (path: string) =>
    withCredentials({ ...bare, path, body: undefined }, upstream, secrets).path;
  expect(sent("/v2/events")).toBe("/v2/events?apikey=a%20b%26c");
  expect(sent("/v2/events?size=1")).toBe("/v2/events?size=1&apikey=a%20b%26c");
  const other = { ...bare, body: undefined };
  expect(withCredentials(other, upstream, {})).toBe(other);
  expect(withCredentials(other, {}, secrets)).toBe(other);
});
