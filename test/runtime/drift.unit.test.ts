import { expect, test } from "vitest";
import { decodeFindings, decodeProfile, encodeProfile } from "../../runtime/drift.ts";
import { linesThatRead } from "../../runtime/mapping-lines.ts";

const finding = {
  path: 'items[].a,"places":{b',
  change: "gone",
  was: "number",
  now: "absent",
  first: 1,
  last: 2,
} as const;
const head = {
  operation: "forum.search",
  upstream: "reddit",
  route: "GET /search",
  answers: 80,
  since: 0,
  last: 2,
  findings: [finding],
};

test("findings are read without the places, in every order of the members", () => {
  const profile = { places: { "items[]": { n: 60 } }, ...head };
  const text = encodeProfile({ revision: 3, profile });
  expect(decodeFindings(text)).toEqual(head);
  expect(decodeProfile(text)).toEqual({ revision: 3, profile });
  // As a release before this one wrote it.
  expect(decodeFindings(`3 ${JSON.stringify(profile)}`)).toEqual(profile);
  expect(decodeFindings("")).toBeUndefined();
  expect(decodeFindings("3 {}")?.findings).toBeUndefined();
});

test("lines of mappings that read a field are found in the folders of its area and its upstream", () => {
  const lines = linesThatRead("forum.search", "reddit", "data.children[].data.num_comments");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines)
    expect(line).toMatch(/^worker\/(areas\/forum|upstreams\/reddit)\/.*:\d+$/);
  expect(linesThatRead("forum.search", "nobody", "a-b")).toEqual([]);
});
