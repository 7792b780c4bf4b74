import { expect, test } from "vitest";
import { closesLinks } from "../../../worker/areas/web/crawl/robots-tag.ts";

test.each([
  ["", false],
  ["index, follow", false],
  ["noindex, NOFOLLOW", true],
  ["noindex nofollow", true],
  ["none", true],
  ["max-image-preview:none, max-snippet: 20", false],
  ["unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, nofollow", true],
  ["otherbot: nofollow", false],
  ["otherbot: noindex, nofollow", false],
  ["public-data-gateway: noindex, nofollow", true],
  ["otherbot: noindex, Public-Data-Gateway: none", true],
  ["otherbot: noindex\nnofollow", true],
])("%j closes the links of a page: %s", (stated, closes) => {
  expect(closesLinks(stated, "public-data-gateway")).toBe(closes);
});
