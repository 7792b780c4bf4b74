import type { FetchSite } from "../../transport/site.ts";

/** A PDF of one page, whose objects stand in their order. */
function samplePdf(isEmpty: boolean): string {
  const content = isEmpty
    ? ""
    : "BT /F 24 Tf 72 720 Td (First harvest) Tj /F 11 Tf 0 -40 Td (The leaves of spring were picked on 1 July.) Tj ET";
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    "<< /Title (Harvest report) /Author (Mai Sato) /CreationDate (D:20260701100000+02'00') >>",
  ];
  let file = "%PDF-1.4\n";
  const places = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const table = `xref\n0 7\n0000000000 65535 f \n${places.join("")}`;
  return `${file}${table}trailer\n<< /Size 7 /Root 1 0 R /Info 6 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
}

/** Files of a site in test mode, made from the address alone. */
const files: { path: RegExp; type: string; text(origin: string): string }[] = [
  {
    path: /^\/robots\.txt$/,
    type: "text/plain",
    text: (origin) =>
      [
        "User-agent: *",
        "Disallow: /private/",
        "Allow: /private/open",
        "Crawl-delay: 2",
        "",
        `Sitemap: ${origin}/sitemap.xml`,
        "",
      ].join("\n"),
  },
  {
    path: /^\/sitemap\.xml$/,
    type: "application/xml",
    text: (origin) =>
      [
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
        `<url><loc>${origin}/</loc><lastmod>2026-07-01</lastmod></url>`,
        `<url><loc>${origin}/second</loc></url>`,
        "</urlset>",
      ].join("\n"),
  },
];

const feed = (origin: string, isEmpty: boolean) => `<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Sample feed</title><link>${origin}/</link><description>Made for tests</description><language>en</language>
<lastBuildDate>Wed, 01 Jul 2026 12:00:00 GMT</lastBuildDate><itunes:author>Mai Sato</itunes:author>
<itunes:image href="${origin}/cover.jpg"/><itunes:explicit>false</itunes:explicit><category>Tea</category>
${
  isEmpty
    ? ""
    : `<item><guid isPermaLink="false">sample-1</guid><title>First harvest</title><link>${origin}/first</link>
<description>Leaves of spring</description><content:encoded>&lt;p&gt;Leaves of spring&lt;/p&gt;</content:encoded>
<pubDate>Wed, 01 Jul 2026 10:00:00 +0200</pubDate><category>Harvest</category>
<enclosure url="${origin}/first.mp3" length="123456" type="audio/mpeg"/>
<itunes:duration>1:02</itunes:duration><itunes:episode>1</itunes:episode><itunes:season>2</itunes:season>
<itunes:explicit>false</itunes:explicit><itunes:image href="${origin}/first.jpg"/></item>`
}</channel></rss>`;

/** The site of test mode: it has the same files at every address, and a feed everywhere else. */
export const sampleSite =
  (isEmpty: boolean): FetchSite =>
  ({ url }) => {
    const { origin, pathname } = new URL(url);
    const file = files.find(({ path }) => path.test(pathname));
    const text = file ? (isEmpty ? "" : file.text(origin)) : feed(origin, isEmpty);
    return Promise.resolve({
      url,
      status: 200,
      contentType: file?.type ?? "application/rss+xml",
      bytes: Buffer.from(text),
    });
  };

const page = (origin: string, pathname: string) => {
  const name =
    decodeURIComponent(pathname)
      .replace(/[<>&"/]+/g, " ")
      .trim() || "Tea garden";
  return `<!doctype html><html lang="en"><head><title>${name}</title>
<meta name="description" content="A page made for tests"><link rel="canonical" href="${origin}${pathname}"></head>
<body><nav><a href="/">Home</a> <a href="/second">Second page</a> <a href="/third">Third page</a>
<a href="/private/notes">Notes</a></nav><main><h1>${name}</h1>
<p>The leaves of <em>${name}</em> were picked on 1 July, before the rains, and dried for two days.</p></main></body></html>`;
};

/** The site of test mode for pages by plain HTTP: beside its files it has a page at every address. */
export const samplePages =
  (isEmpty: boolean): FetchSite =>
  (request) => {
    const { url } = request;
    const { origin, pathname } = new URL(url);
    if (/\.pdf$/i.test(pathname)) return sampleDocument(isEmpty)(request);
    const file = files.find(({ path }) => path.test(pathname));
    const whole = file ? file.text(origin) : page(origin, pathname);
    return Promise.resolve({
      url,
      status: 200,
      contentType: file?.type ?? "text/html",
      bytes: Buffer.from(isEmpty ? "" : whole),
    });
  };

/** The site of test mode for documents: it has the same PDF at every address. */
export const sampleDocument =
  (isEmpty: boolean): FetchSite =>
  ({ url }) =>
    Promise.resolve({
      url,
      status: 200,
      contentType: "application/pdf",
      bytes: Buffer.from(samplePdf(isEmpty), "latin1"),
    });
