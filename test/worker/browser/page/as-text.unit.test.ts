import { expect, test } from "vitest";
import { isText } from "../../../../worker/browser/page/as-text.ts";

test.each([
  ["text/calendar", "http://site.test/meetings"],
  ["text/csv", "http://site.test/rows"],
  ["text/tab-separated-values", "http://site.test/rows"],
  ["text/vcard", "http://site.test/card"],
  ["application/x-ndjson", "http://site.test/lines"],
  ["application/jsonl", "http://site.test/lines"],
  ["application/yaml", "http://site.test/settings"],
  ["", "http://site.test/meetings.ics"],
  ["application/octet-stream", "http://site.test/rows.csv?of=2026"],
])("a download of the type %j at %s is text", (mimeType, url) => {
  expect(isText({ mimeType, url })).toBe(true);
});

test.each([
  ["application/zip", "http://site.test/rows.csv"],
  ["application/pdf", "http://site.test/paper"],
  ["application/octet-stream", "http://site.test/program"],
  ["", "data:,x"],
])("a download of the type %j at %s is a file", (mimeType, url) => {
  expect(isText({ mimeType, url })).toBe(false);
});
