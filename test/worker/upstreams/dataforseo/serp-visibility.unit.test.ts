import { expect, test } from "vitest";
import {
  evidenceOf,
  isTarget,
  referencesOf,
  targetOf,
  visibility,
} from "../../../../worker/upstreams/dataforseo/serp-visibility.map.ts";

const reference = (url: string, title = "Guide") => ({ type: "ai_overview_reference", url, title });

const answer = {
  type: "ai_overview",
  title: "Shoes",
  references: [
    reference("https://www.shop.example/guide#:~:text=first"),
    reference("https://www.shop.example/guide#:~:text=second"),
    reference("https://blog.other.example/a"),
    reference("https://other.example/b"),
    { domain: "third.example", title: "No address" },
    { title: "Neither" },
  ],
  items: [{ type: "ai_overview_element", references: [reference("https://inner.example/")] }],
};
const organic = { type: "organic", url: "https://other.example/shop", title: "Other" };
const advert = { type: "paid", url: "https://other.example/buy", references: answer.references };

test.each([
  ["Example.com", "https://www.example.com/x", true],
  ["https://www.example.com/some/page", "https://shop.example.com/", true],
  ["example.com", "https://notexample.com/", false],
  ["example.com", "https://example.com.evil.example/", false],
  ["bücher.example", "https://xn--bcher-kva.example/", true],
])("the target %s is met at %s: %s", (value, url, is) => {
  expect(targetOf(value).matches({ url })).toBe(is);
  expect(targetOf(value).value).toBe(value);
});

test("a target matches by host alone, with subdomains, or as a pattern", () => {
  const sub = { url: "https://shop.example.com/shoes/red" };
  expect(targetOf("example.com", "domain").matches(sub)).toBe(false);
  expect(targetOf("example.com", "domain").matches({ domain: "www.example.com" })).toBe(true);
  expect(targetOf("*.example.com/shoes*", "wildcard").matches(sub)).toBe(true);
  expect(targetOf("*example.com/hats*", "wildcard").matches(sub)).toBe(false);
  expect(targetOf("example.com*", "wildcard").matches(sub)).toBe(false);
  expect(targetOf("*a*a*a*a*a*b", "wildcard").matches({ url: `https://${"a".repeat(5000)}` })).toBe(
    false,
  );
});

test("seo surprise 31: the same page is cited for several passages and counts once", () => {
  expect(referencesOf(answer).map(({ url, domain }) => url ?? domain)).toEqual([
    "https://www.shop.example/guide#:~:text=first",
    "https://blog.other.example/a",
    "https://other.example/b",
    "third.example",
  ]);
});

test("references are those of the parts where the element has none of its own", () => {
  const found = referencesOf({ ...answer, references: [] });
  expect(found.map(({ url }) => url)).toEqual(["https://inner.example/"]);
});

test("visibility counts matches and citations, and leaves adverts out", () => {
  const evidence = [evidenceOf(advert, 1), evidenceOf(answer, 2), evidenceOf(organic, 5)];
  const { target, competitors } = visibility(evidence, targetOf("other.example"));
  expect(target).toEqual({
    value: "other.example",
    domain: "other.example",
    present: true,
    best_rank: 2,
    matches: [{ rank: 5, type: "organic", title: "Other", url: "https://other.example/shop" }],
    citations: ["https://blog.other.example/a", "https://other.example/b"].map((url) => ({
      title: "Guide",
      url,
      is_target: true,
      result_rank: 2,
      result_type: "ai_overview",
      result_title: "Shoes",
    })),
  });
  expect(competitors).toEqual([
    { domain: "shop.example", best_rank: 2, citation_count: 1 },
    { domain: "third.example", best_rank: 2, citation_count: 1 },
  ]);
});

test("a target without a match is absent, without a rank", () => {
  const { target } = visibility([evidenceOf(organic, 5)], targetOf("nowhere.example"));
  expect(target).toEqual({
    value: "nowhere.example",
    domain: "nowhere.example",
    present: false,
    matches: [],
    citations: [],
  });
  expect(visibility([], undefined)).toEqual({ competitors: [] });
});

test("competitors: most citations first, then the best rank, then the name", () => {
  const cites = (...urls: string[]) => ({
    type: "ai_overview",
    references: urls.map((url) => reference(url)),
  });
  const { competitors } = visibility(
    [
      evidenceOf(cites("https://b.example/1", "https://a.example/1"), 3),
      evidenceOf(cites("https://c.example/1", "https://c.example/2"), 9),
      evidenceOf(cites("https://d.example/1"), 1),
    ],
    undefined,
  );
  expect(competitors.map(({ domain }) => domain)).toEqual([
    "c.example",
    "d.example",
    "a.example",
    "b.example",
  ]);
});

test("an element is the target's by its own address, a link or a reference, not by a part's address", () => {
  const target = targetOf("other.example");
  const linked = { type: "organic", links: [{ url: "https://other.example/" }] };
  const inner = {
    type: "images",
    items: [{ type: "images_element", url: "https://other.example" }],
  };
  expect(isTarget(evidenceOf(organic, 1), target)).toBe(true);
  expect(isTarget(evidenceOf(linked, 1), target)).toBe(true);
  expect(isTarget(evidenceOf(answer, 1), target)).toBe(true);
  expect(isTarget(evidenceOf(inner, 1), target)).toBe(false);
  expect(visibility([evidenceOf(inner, 4)], target).target).toMatchObject({ best_rank: 4 });
});
