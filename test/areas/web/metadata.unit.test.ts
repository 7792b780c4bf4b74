import { expect, test } from "vitest";
import { metadataOf } from "../../../worker/areas/web/metadata.map.ts";

test("feeds and pages in other languages among the alternates of a page", () => {
  const link = (type: string | undefined, language?: string, rel = "alternate") => ({
    rel,
    url: `https://site.test/${type ?? language}`,
    type,
    language,
  });
  const links = [
    link("application/rss+xml", "de"),
    link("application/rdf+xml"),
    link("application/feed+json"),
    link("application/json"),
    link("text/css", "fr", "alternate stylesheet"),
    link(undefined, "ja"),
    link("text/html", "pt"),
  ];
  const read = metadataOf({ url: "https://site.test/", metas: [], links }, {
    status: 200,
  } as Parameters<typeof metadataOf>[1]);
  expect(read.feeds.map(({ type }) => type)).toEqual([
    "application/rss+xml",
    "application/rdf+xml",
    "application/feed+json",
  ]);
  expect(read.alternates.map(({ language }) => language)).toEqual(["ja", "pt"]);
});
