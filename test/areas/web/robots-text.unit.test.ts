import { expect, test } from "vitest";
import { RobotsRules, tidyRobots } from "../../../worker/areas/web/robots-text.ts";

test.each([
  ["/cr/%7Ejoe/", "/cr/~joe/", false],
  ["/cr/~joe/", "/cr/%7ejoe/", false],
  ["/%62%61%7A", "/baz", false],
  ["/baz", "/%62%61%7a", false],
  ["/a%2Db # why", "/a-b", false],
  ["/a%2fb", "/a%2Fb", false],
  ["/a%2Fb", "/a/b", true],
  ["/a%3Fb", "/a?b", true],
  ["/ä b$", "/%c3%a4%20b", false],
  ["/%c3%a4", "/ä", false],
  ["/a[b]|", "/a[b]|", false],
  ["/x?q='a'", "/x?q='a'", false],
  ["/x?q=%27a", "/x?q='a'", false],
  ["/it's", "/it's", false],
  ["/it's", "/it%27s", false],
  ["/x?q=%7e*", "/x?q=~1", false],
])("Disallow: %s, asked for %s: %s", (rule, path, isAllowed) => {
  const origin = "https://example.com";
  const found = new RobotsRules(`${origin}/robots.txt`, `User-agent: *\nDisallow: ${rule}`);
  expect(found.isAllowed(origin + path, "a")).toBe(isAllowed);
  expect(found.lineFor(origin + path, "a")).toBe(isAllowed ? undefined : 2);
});

test("a relative address of a sitemap is one of the site", () => {
  const stated = ["https://example.com/a.xml", "/b/c.xml", "file:///d.xml"];
  const text = stated.map((address) => `Sitemap: ${address}`).join("\n");
  expect(new RobotsRules("https://example.com/robots.txt", text).sitemaps(10)).toEqual([
    "https://example.com/a.xml",
    "https://example.com/b/c.xml",
  ]);
});

test("a forgotten colon is there, and the name of an agent ends at a space", () => {
  const text =
    "user-agent  Tea Bot # a\r\n\r\n disallow /a:b\nUser-Agent: X/2 y\nAllow: /a b\nfoo bar";
  expect(tidyRobots(text)).toBe(
    "user-agent: Tea\r\n\r\ndisallow: /a:b\nUser-Agent: X/2\nAllow: /a%20b\nfoo bar",
  );
});
