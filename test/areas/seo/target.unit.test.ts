import { expect, test } from "vitest";
import {
  byHost,
  hostOf,
  numberedTargets,
  sameTarget,
  upstreamPattern,
  upstreamTarget,
} from "../../../worker/areas/seo/target.ts";

test.each([
  ["Example.COM", "example.com"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["https://Example.com/Path", "https://Example.com/Path"],
  ["https://example.com/größe", "https://example.com/gr%C3%B6%C3%9Fe"],
])("target %s is sent as %s", (target, expected) => {
  expect(upstreamTarget(target)).toBe(expected);
});

test.each([
  ["B.example", "b.example"],
  ["bücher.example", "xn--bcher-kva.example"],
  ["bücher.example/*", "xn--bcher-kva.example/*"],
  ["bücher.*", "bücher.*"],
  ["B.example*", "b.example*"],
  ["https://bücher.example/*", "https://xn--bcher-kva.example/*"],
  ["https://Example.com/größe/*", "https://example.com/gr%C3%B6%C3%9Fe/*"],
  ["https://Example.com/Path*", "https://Example.com/Path*"],
])("pattern %s is sent as %s", (pattern, expected) => {
  expect(upstreamPattern(pattern)).toBe(expected);
});

test("host names are the same in any case, paths are not", () => {
  expect(sameTarget("A.Example")).toBe(sameTarget("a.example"));
  expect(sameTarget("HTTPS://A.example/x")).toBe(sameTarget("https://a.example/x"));
  expect(sameTarget("https://a.example/X")).not.toBe(sameTarget("https://a.example/x"));
});

test("an address beyond ASCII is the same in the form in which it is sent", () => {
  for (const target of ["bücher.example", "https://bücher.example/größe?q=ü", "http://a.example/ü"])
    expect(sameTarget(upstreamTarget(target))).toBe(sameTarget(target));
});

test("the host of a domain and of a page", () => {
  for (const target of ["www.a.example", "A.example", "https://www.A.example:8080/x?y#z"]) {
    expect(hostOf(target)).toBe("a.example");
  }
});

test("chunks hold at most so many hosts and so many targets, with the pages of a host together", () => {
  const hosts = Array.from({ length: 250 }, (_, at) => `s${at}.example`);
  expect(byHost(hosts, 1000, 100).map((piece) => piece.length)).toEqual([100, 100, 50]);
  const pages = hosts.slice(0, 6).flatMap((host) => [`https://${host}/1`, `https://${host}/2`]);
  const mixed = [
    ...pages.filter((_, at) => at % 2 === 0),
    ...pages.filter((_, at) => at % 2 === 1),
  ];
  const pieces = byHost(mixed, 5, 100);
  expect(pieces.map((piece) => piece.length)).toEqual([4, 4, 4]);
  for (const piece of pieces) expect(new Set(piece.map(hostOf)).size).toBe(2);
  expect(pieces.flat().sort()).toEqual([...mixed].sort());
  expect(byHost([], 5, 5)).toEqual([]);
});

test("targets of an intersection are numbered from 1", () => {
  expect(numberedTargets(["A.example", "https://b.example/X"])).toEqual({
    1: "a.example",
    2: "https://b.example/X",
  });
});
