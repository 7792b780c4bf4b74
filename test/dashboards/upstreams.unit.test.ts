import { expect, test } from "vitest";
import { driftText } from "../../dashboards/upstreams/page.ts";

test("an upstream whose answers nobody has seen has no known shape that could change", () => {
  const drift = { findings: 2, operations: ["seo.backlinks.list"], first: 0 };
  expect(driftText({ drift: undefined, acceptedAt: undefined })).toBe("no answer seen");
  expect(driftText({ drift: undefined, acceptedAt: 1 })).toBe("no change known");
  expect(driftText({ drift, acceptedAt: undefined })).toBe("!2 fields");
});
