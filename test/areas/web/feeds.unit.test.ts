import { parseFeed } from "feedsmith";
import { expect, test } from "vitest";
import { feed as readFeed } from "../../../worker/areas/web/feed.ts";
import { readFeedText } from "../../../worker/areas/web/feed-parser.ts";
import { feedOf } from "../../../worker/areas/web/feed.map.ts";
import type { Parsers } from "../../../worker/areas/web/parser.ts";
import type { Call } from "../../../worker/connector.ts";

const namespaces =
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"';

const read = (channel: string) =>
  feedOf(
    parseFeed(`<rss version="2.0" ${namespaces}><channel>${channel}</channel></rss>`),
    "https://site.test/feed",
  );

test.each([
  ["rss", "<title>Second</title><link>https://site.test/sec"],
  ["rss", "<title>Second</title><li"],
  ["feed", '<title>Second</title><link href="https://site.test/sec'],
  ["rdf:RDF", "<title><![CDATA[Sec"],
])("a cut %s has its whole entries", (root, rest) => {
  const entry = root === "feed" ? "entry" : "item";
  const names = {
    rss: `version="2.0"`,
    feed: `xmlns="http://www.w3.org/2005/Atom"`,
    "rdf:RDF": `xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"`,
  }[root];
  const inner = root === "rss" ? "<channel>" : "";
  const text = `<${root} ${names}>${inner}<title>T</title><${entry}><title>First</title></${entry}><${entry}>${rest}`;
  const read = readFeedText(text, 10);
  const found = feedOf(read?.parsed, "https://site.test/feed");
  expect(read?.isCut).toBe(true);
  expect(found?.items.map(({ title }) => title)).toEqual(["First"]);
  const whole = `${text.slice(0, text.lastIndexOf(`<${entry}>`))}${inner && "</channel>"}</${root}>\n`;
  expect(readFeedText(whole, 10)?.isCut).toBe(false);
});

test("lengths of media are whole seconds", () => {
  const found = read(
    `<item><media:content url="https://site.test/a.mp4" duration="12.5"/></item>
     <item><media:content url="https://site.test/b.mp4" duration="7"/></item>`,
  );
  const lengths = found?.items.map(({ media }) => media?.[0]?.duration_seconds);
  expect(lengths).toEqual([13, 7]);
});

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

test("files, pictures and texts of Media RSS", () => {
  const found = read(
    `<title>Leaf</title><media:thumbnail url="/leaf.png"/>
     <item><title>Video</title><media:group><media:title>Other</media:title>
       <media:content url="/v.mp4" type="video/mp4" fileSize="99" duration="120"/>
       <media:content url="/v.webm" type="video/webm"/><media:content><media:player url="/watch"/></media:content>
       <media:thumbnail url="/v.jpg" width="480"/><media:description>Harvest</media:description></media:group></item>
     <item><enclosure url="/a.jpg" length="9"/><media:content url="/a.jpg" medium="image" type="image/jpeg" fileSize="8"/></item>
     <item><media:content url="/b.mp3" type="audio/mpeg"><media:thumbnail url="/b.png"/></media:content>
       <itunes:duration>1:05</itunes:duration></item>`,
  );
  const at = (path: string) => `https://site.test${path}`;
  expect(found?.image_url).toBe(at("/leaf.png"));
  expect(found?.items).toEqual([
    {
      title: "Video",
      summary: "Harvest",
      image_url: at("/v.jpg"),
      media: [
        { url: at("/v.mp4"), type: "video/mp4", size_bytes: 99, duration_seconds: 120 },
        { url: at("/v.webm"), type: "video/webm" },
      ],
    },
    {
      image_url: at("/a.jpg"),
      media: [{ url: at("/a.jpg"), type: "image/jpeg", size_bytes: 9 }],
    },
    {
      image_url: at("/b.png"),
      media: [{ url: at("/b.mp3"), type: "audio/mpeg", duration_seconds: 65 }],
    },
  ]);
});

test.each([
  ["Mai Sato (mai@site.test)", "Mai Sato"],
  ["mai@site.test (Mai Sato)", "Mai Sato"],
  ["Mai Sato (editor)", "Mai Sato (editor)"],
  ["mai@site.test", "mai@site.test"],
])("the author %s is %s", (stated, name) => {
  expect(read(`<title>Leaf</title><dc:creator>${stated}</dc:creator>`)?.authors).toEqual([name]);
});

test.each([
  ["Mon, 07 Sep 26 10:00:00 GMT", "2026-09-07T10:00:00Z"],
  ["Tue, 07 Sep 99 10:00:00 +0200", "1999-09-07T08:00:00Z"],
  ["Mon,07 Sep 2026 10:00:00 GMT", "2026-09-07T10:00:00Z"],
  ["Mon, 07 Sep 026 10:00:00 GMT", undefined],
])("the date %s is %s", (stated, moment) => {
  expect(read(`<title>Leaf</title><pubDate>${stated}</pubDate>`)?.modified_at).toBe(moment);
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

test("addresses of Atom are relative to the bases of the entry and the feed", () => {
  const entry = (base: string, href: string) =>
    `<entry${base}><link href="${href}"/><link rel="enclosure" href="a.mp3"/></entry>`;
  const feed = parseFeed(
    `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/blog/"><link href="home"/><logo>logo.png</logo>
       ${entry(' xml:base="2026/"', "a")}${entry("", "b")}${entry(' xml:base="http://other.test/x/"', "c")}</feed>`,
  );
  const found = feedOf(feed, "https://site.test/feeds/atom");
  expect(found).toMatchObject({
    site_url: "https://site.test/blog/home",
    image_url: "https://site.test/blog/logo.png",
  });
  expect(found?.items.map(({ url, media }) => [url, media?.[0]?.url])).toEqual([
    ["https://site.test/blog/2026/a", "https://site.test/blog/2026/a.mp3"],
    ["https://site.test/blog/b", "https://site.test/blog/a.mp3"],
    ["http://other.test/x/c", "http://other.test/x/a.mp3"],
  ]);
});

test.each([
  ['type="html"><![CDATA[It&#8217;s <b>Tom</b> &amp; Jerry]]>', "It’s Tom & Jerry"],
  ['type="html">It&amp;rsquo;s Tom &amp;amp; Jerry', "It’s Tom & Jerry"],
  [
    'type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">Tom\n <em>&amp;</em> Jerry</div>',
    "Tom & Jerry",
  ],
  [">1 &lt; 2 &amp;amp; <![CDATA[<b>]]>", "1 < 2 &amp; <b>"],
  ['type="html">&lt;br>', undefined],
])("the title %s of Atom is the plain text %s", (stated, title) => {
  const feed = parseFeed(
    `<feed xmlns="http://www.w3.org/2005/Atom"><id>f</id><title ${stated}</title>
       <entry><id>e</id><title ${stated}</title></entry></feed>`,
  );
  const found = feedOf(feed, "https://site.test/feed");
  expect([found?.title, found?.items[0]?.title]).toEqual([title, title]);
});

test.each(["", ' type="text"', ' type="text/plain"', ' type="text/markdown"'])(
  "content of Atom with the type%s is text",
  (type) => {
    const feed = parseFeed(
      `<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>e</id><content${type}>just text 1 &lt; 2</content></entry></feed>`,
    );
    const [item] = feedOf(feed, "https://site.test/feed")?.items ?? [];
    expect(item).toEqual({ id: "e", content_text: "just text 1 < 2" });
  },
);

const declared = (encoding: string) =>
  `<?xml version="1.0" encoding="${encoding}"?><rss version="2.0"><channel><title>Thé</title></channel></rss>`;
const bare = declared("").replace(/<\?.*\?>/, "");

test.each([
  ["its Content-Type", "application/rss+xml; charset=iso-8859-1", bare, "latin1"],
  ["its declaration", "application/rss+xml", declared("iso-8859-1"), "latin1"],
  [
    "its Content-Type before its declaration",
    "text/xml; charset=utf-8",
    declared("latin1"),
    "utf8",
  ],
  ["UTF-8 by default", "text/xml", bare, "utf8"],
  ["UTF-8 where it states UTF-16 in ASCII", "text/xml", declared("utf-16"), "utf8"],
  ["its mark before all else", "text/xml; charset=latin1", `\uFEFF${declared("latin1")}`, "utf8"],
  ["UTF-16 by its mark", "application/rss+xml", `\uFEFF${declared("utf-16")}`, "utf16le"],
  ["UTF-16 of the other order", "text/xml", `\uFEFF${declared("utf-16")}`, "utf16be"],
  ["an encoding that exists", "text/xml; charset=nothing", bare, "utf8"],
  [
    "UTF-8 where it is JSON",
    "application/feed+json; charset=latin1",
    '{"version":"https://jsonfeed.org/version/1.1","title":"Thé","items":[]}',
    "utf8",
  ],
] as const)("a feed is read in %s", async (_name, type, content, encoding) => {
  const isSwapped = encoding === "utf16be";
  const bytes = Buffer.from(content, isSwapped ? "utf16le" : encoding);
  if (isSwapped) bytes.swap16();
  const url = "https://site.test/feed";
  const [contentType = ""] = type.split(";");
  const answer = { url, status: 200, contentType, bytes, headers: { "content-type": type } };
  const call = { account: "a", signal: AbortSignal.timeout(30_000) } as Call;
  const parsers = { run: ({ text }: { text: string }) => Promise.resolve(parseFeed(text)) };
  const { data } = await readFeed(
    () => Promise.resolve(answer),
    parsers as unknown as Parsers,
    { url, limit: 10 },
    call,
  );
  expect(data.title).toBe("Thé");
});

test("a feed's values in extensions count where RSS has none of its own", () => {
  const dc = { titles: ["Leaf"], descriptions: ["Tea"], languages: ["en"] };
  const items = [
    { guid: { value: "https://site.test/1" }, dc, itunes: { summary: "Long" } },
    { guid: { value: "https://site.test/2", isPermaLink: false }, itunes: { subtitle: "Short" } },
    { guid: { value: "tag:3" }, link: "/3", title: "Own", description: "Stated", dc },
  ];
  const found = feedOf({ format: "rss", feed: { dc, items } }, "https://site.test/feed");
  expect(found).toMatchObject({ title: "Leaf", description: "Tea", language: "en" });
  expect(found?.items).toEqual([
    { id: "https://site.test/1", url: "https://site.test/1", title: "Leaf", summary: "Tea" },
    { id: "https://site.test/2", summary: "Short" },
    { id: "tag:3", url: "https://site.test/3", title: "Own", summary: "Stated" },
  ]);
});
