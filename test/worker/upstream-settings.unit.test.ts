import { expect, test } from "vitest";
import { checkUpstreamSettings } from "../../worker/upstream-settings.ts";

const upstream = {
  baseUrl: { env: "EXAMPLE_BASE_URL", default: "https://the instance of the call" },
  credentials: ["EXAMPLE_KEY"],
  optional: { credential: "EXAMPLE_TOKEN" },
};
const check = (env: Record<string, string>) => () =>
  checkUpstreamSettings([upstream, upstream], env);

test("a base URL is an http(s) URL of which nothing would be left out", () => {
  for (const url of ["https://example.com", "http://127.0.0.1:8080/base/", ""])
    expect(check({ EXAMPLE_BASE_URL: url })).not.toThrow();
  const wrong = [
    "nonsense",
    " ",
    "ftp://a",
    "https://u:secret@a",
    "https://a?key=secret",
    "https://a#b",
  ];
  for (const url of wrong) {
    expect(check({ EXAMPLE_BASE_URL: url }), url).toThrow(/^EXAMPLE_BASE_URL: an http\(s\) URL.*$/);
    expect(check({ EXAMPLE_BASE_URL: url }), url).not.toThrow(/secret/);
  }
});

test("the file of a credential must be readable, and every problem is named once", () => {
  const env = { EXAMPLE_KEY_FILE: "/nope/a", EXAMPLE_TOKEN_FILE: "/nope/b" };
  expect(check(env)).toThrow(
    /^EXAMPLE_KEY_FILE: the file \/nope\/a cannot be read \(ENOENT\)\nEXAMPLE_TOKEN_FILE: .*$/,
  );
});
