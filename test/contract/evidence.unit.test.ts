import { expect, test } from "vitest";
import { evidenceHere, evidenceOf, provenances, recordingsOf } from "../../contract/evidence.ts";
import { operations } from "../../contract/index.ts";
import { recordings } from "../../contract/recordings.ts";
import { samples } from "../../worker/sandbox/samples.ts";

const day = /^\d{4}(-\d\d(-\d\d)?)?( to \d{4})?$/;

test("the samples of every upstream have their provenance, with address and date", () => {
  expect(Object.keys(provenances).toSorted()).toEqual(
    samples.map(({ upstream }) => upstream).toSorted(),
  );
  for (const [name, { kind, address, date }] of Object.entries(provenances)) {
    expect(["document", "fields", "recording"], name).toContain(kind);
    expect(address, name).toMatch(/^https:\/\/[\w.-]+\.[a-z]{2,}(\/|$)/);
    expect(date, name).toMatch(/\b20\d\d\b/);
  }
});

test("recordings name an operation, a repository and their time", () => {
  for (const [id, all] of Object.entries(recordings)) {
    expect(operations.has(id), id).toBe(true);
    for (const { address, date } of all) {
      expect(address).toMatch(/^https:\/\/github\.com\/[^/]+\/[^/]+$/);
      expect(date).toMatch(day);
    }
  }
});

test("an operation is verified live, tried on recordings, or known from documents only", () => {
  const video = { id: "videosite.videos.get", area: "videosite" };
  expect(evidenceOf(video)).toBe(`recorded answers: ${recordingsOf(video).length}`);
  expect(evidenceHere(video, new Date("2026-11-24T10:00:00Z"))).toBe("verified live on 2026-11-24");
  expect(evidenceHere(video, null)).toMatch(/^recorded answers: /);
  expect(evidenceOf({ id: "hotels.search", area: "hotels" })).toBe("documents only");
  expect(evidenceOf({ id: "browser.html", area: "browser" })).toBe("tested on real pages");
  expect(evidenceOf({ id: "web.crawl", area: "web" })).toBe("tested on real pages");
});
