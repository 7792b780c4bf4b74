import { expect, test } from "vitest";
import { siteOf } from "../../../../worker/browser/page/site-of.ts";

test.each([
  ["https://www.example.co.uk/a", "example.co.uk"],
  ["https://shop.example.com:8443/", "example.com"],
  ["https://one.github.io/", "one.github.io"],
  ["https://two.github.io/", "two.github.io"],
  ["http://127.0.0.1:8080/", "127.0.0.1"],
  ["http://localhost/", "localhost"],
])("%s belongs to %s", (url, site) => {
  expect(siteOf(url)).toBe(site);
});
