import { parseFeed } from "feedsmith";
import { expect, test } from "vitest";
import { feedOf } from "../../../worker/areas/web/feed.map.ts";

const namespaces =
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"';

const read = (channel: string) =>
  feedOf(
    parseFeed(`<rss version="2.0" ${namespaces}><channel>${channel}</channel></rss>`),
    "https://site.test/feed",
  );

test("statements of Dublin Core, Media RSS and podcasts", () => {
  const found = read(
    `<title>Leaf</title><dc:date>2026-05-02T08:00:00Z</dc:date><itunes:keywords>tea, leaf</itunes:keywords>
     <itunes:category text="Arts"><itunes:category text="Food"/></itunes:category>
     <item><dc:date>2026-05-01T08:00:00Z</dc:date><dc:subject>harvest</dc:subject><media:title>First</media:title>
       <media:category>spring</media:category><dcterms:modified>2026-05-03</dcterms:modified></item>
     <item><title>Second</title><dcterms:issued>2026-05-04</dcterms:issued></item>`,
  );
  expect(found).toEqual({
    url: "https://site.test/feed",
    format: "rss",
    title: "Leaf",
    modified_at: "2026-05-02T08:00:00Z",
    categories: ["Arts", "Food", "tea", "leaf"],
    items: [
      {
        title: "First",
        published_at: "2026-05-01T08:00:00Z",
        modified_at: "2026-05-03",
        categories: ["harvest", "spring"],
      },
      { title: "Second", published_at: "2026-05-04" },
    ],
  });
});

test.each([
  ["Mai Sato (mai@site.test)", "Mai Sato"],
  ["mai@site.test (Mai Sato)", "Mai Sato"],
  ["Mai Sato (editor)", "Mai Sato (editor)"],
  ["mai@site.test", "mai@site.test"],
])("the author %s is %s", (stated, name) => {
  expect(read(`<title>Leaf</title><dc:creator>${stated}</dc:creator>`)?.authors).toEqual([name]);
});

test("content of Atom, and none that is base64", () => {
  const entry = (type: string) =>
    `<entry><id>${type}</id><content type="${type}">cGF1c2U=</content></entry>`;
  const kinds = [
    "html",
    "text/html",
    "image/svg+xml",
    "application/xml",
    "application/octet-stream",
  ];
  const feed = parseFeed(
    `<feed xmlns="http://www.w3.org/2005/Atom">${kinds.map(entry).join("")}</feed>`,
  );
  const read = feedOf(feed, "https://site.test/feed")?.items.map((one) => one.content_html);
  expect(read).toEqual([...Array<string>(4).fill("cGF1c2U="), undefined]);
});
