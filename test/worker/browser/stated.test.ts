import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { known } from "../../areas/web/selectors.ts";
import { html, startRig, startSite } from "./rig.ts";
import type { Rig, Site } from "./rig.ts";

const folder = new URL("../../pages/", import.meta.url);
const many = 20_000;
const items = '<i itemprop="a b c d e" itemscope itemref="top">'.repeat(200);
const nested = '<i property="a b c" typeof="A B C">'.repeat(200);
/** Each would multiply in a reader without limits. */
const hostile: Record<string, string> = {
  "/references": `<div id=top itemscope itemtype="https://schema.org/Product"><b itemprop=name>text</b>${items}</div>
    <div vocab="https://schema.org/">${nested}</div>`,
  "/graph": `<script type="application/ld+json">{"@context":"https://schema.org","@graph":[${[
    "a",
    "b",
    "c",
  ]
    .map(
      (id, at) =>
        `{"@type":"Product","@id":"${id}","name":"${id}","review":[${Array(many).fill(`{"@id":"${"bca"[at]}"}`).join()}]}`,
    )
    .join()}]}</script>text`,
  "/depth": `<script type="application/ld+json">${"[".repeat(900_000)}</script>
    <script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"text","a":${'{"a":'.repeat(90)}1${"}".repeat(91)}</script>`,
  "/spans": `<table><tr><td>text</td>${`<td rowspan=1000 colspan=30>${"x".repeat(100)}</td>`.repeat(3)}</tr>${"<tr><td>y</td></tr>".repeat(900)}</table>
    <table>${"<tr><td colspan=60>wide</td><td colspan=60>wider</td></tr>".repeat(2)}</table>`,
  "/names": `<form><input name=textContent><input name=children></form><div itemscope itemtype="https://schema.org/Product">
    <b itemprop="name">text</b><b itemprop="__proto__">p</b><b itemprop="constructor">c</b></div>
    <script type="application/ld+json">{"@context":"https://schema.org","@type":"Product","name":"text","__proto__":{"sku":"1"}}</script>
    <script>for (const name of ["textContent", "localName"]) Object.defineProperty(Element.prototype, name, { get() { for (;;); } });
    JSON.parse = RegExp.prototype.exec = Array.prototype.map = () => { for (;;); };</script>`,
};

const drawing = `<canvas width=99 height=99></canvas><script>const c = document.querySelector("canvas").getContext("2d");
  c.fillRect(0, 0, 50, 50)</script>`;

const entry = `<main></main><script>document.querySelector("main").innerHTML =
  '<article class="h-entry"><a class="p-name u-url" href="/harvest">Harvest</a></article>'</script>`;

let rig: Rig;
let site: Site;
beforeAll(async () => {
  const stated = await readFile(new URL("stated.html", folder), "utf8");
  site = await startSite((request, response) => {
    const path = request.url ?? "";
    const pages: Record<string, string> = { "/tea": stated, "/drawing": drawing, "/entry": entry };
    const page = pages[path] ?? hostile[path];
    if (page === undefined) html(response, "no such sample", 404);
    else html(response, page);
  });
  rig = await startRig({ egressAllow: [`127.0.0.1:${site.port}`] });
});
afterAll(async () => {
  await rig.close();
  await site.close();
});

/** The answer with the site's address replaced. */
async function answer(id: "web.metadata" | "web.extract", input: object): Promise<unknown> {
  const data = await rig.run(id, { url: `${site.origin}/tea`, ...input });
  return JSON.parse(JSON.stringify(data).replaceAll(site.origin, "http://site.test"));
}

test("metadata are what the head states, and dates only in a plain form", async () => {
  expect(await answer("web.metadata", {})).toEqual({
    url: "http://site.test/tea",
    title: "Green tea | Tea House",
    description: "Leaves from Uji.",
    language: "en-GB",
    canonical_url: "http://site.test/tea/green",
    status: 200,
    content_type: "text/html",
    site_name: "Tea House",
    author: "Mai Sato",
    published_at: "2026-03-01T08:00:00+09:00",
    modified_at: "2026-04-01",
    robots: "index, follow",
    generator: "Sample 1.0",
    theme_color: "#0a0",
    keywords: ["tea", "green", "uji"],
    image_url: "http://site.test/tea.jpg",
    manifest_url: "http://site.test/app.webmanifest",
    icons: [
      { url: "http://site.test/icon.png", rel: "shortcut icon", type: "image/png", sizes: "32x32" },
      { url: "http://site.test/touch.png", rel: "apple-touch-icon" },
    ],
    feeds: [{ url: "http://site.test/feed.xml", type: "application/rss+xml", title: "News" }],
    alternates: [{ url: "http://site.test/ja/tea", language: "ja" }],
    oembed: [{ url: "http://site.test/oembed?format=json", format: "json" }],
    open_graph: [
      ["og:type", "product"],
      ["og:title", "Green tea"],
      ["og:site_name", "Tea House"],
      ["og:image", "/tea.jpg"],
      ["og:image:width", "600"],
      ["product:price:amount", "4.50"],
      ["product:price:currency", "EUR"],
      ["article:published_time", "yesterday"],
      ["article:modified_time", "2026-04-01"],
    ].map(([property, content]) => ({ property, content })),
    twitter: [{ property: "twitter:card", content: "summary" }],
  });
});

test("Chromium knows each selector by which a page is read without it", async () => {
  const selectors = known.map((selector, index) => ({ name: `s${index}`, selector }));
  expect(await answer("web.extract", { selectors })).toMatchObject({ url: "http://site.test/tea" });
});

test("an extract has the page's records, tables, own data and the caller's fields", async () => {
  const selectors = [
    { name: "prices", selector: ".prices li", type: "number", many: true },
    { name: "first", selector: "[data-price]", attribute: "data-price", type: "number" },
    { name: "comma", selector: ".prices li:last-child", attribute: "data-price", type: "number" },
    { name: "sold", selector: ".sold", type: "boolean" },
    { name: "next", selector: "a.next", type: "url" },
    { name: "label", selector: "a.next" },
    { name: "none", selector: ".none" },
    { name: "gone", selector: ".gone", many: true },
  ];
  const data = await answer("web.extract", { selectors, include_source: true });
  expect(data).toEqual({
    url: "http://site.test/tea",
    products: [
      {
        source: "json_ld",
        name: "Green tea",
        image_urls: ["http://site.test/a.jpg", "http://site.test/b.jpg"],
        brand: "Uji",
        sku: "17",
        gtin: "4006381333931",
        price: 1299.5,
        currency: "JPY",
        availability: "in_stock",
        condition: "new",
        rating: 4.5,
        rating_max: 5,
        reviews_count: 12,
      },
      {
        source: "open_graph",
        name: "Green tea",
        image_urls: ["http://site.test/tea.jpg"],
        price: 4.5,
        currency: "EUR",
      },
    ],
    articles: [],
    job_postings: [],
    recipes: [],
    events: [
      {
        source: "microdata",
        name: "Tasting",
        start_at: "2026-05-01T18:00",
        place: "Tea House",
        address: { street: "1 Leaf Lane", city: "Uji" },
        performers: ["Ren"],
      },
    ],
    organisations: [
      {
        source: "rdfa",
        name: "Tea House Ltd",
        url: "http://site.test/",
        logo_url: "http://site.test/logo.svg",
        address: { country: "JP" },
      },
    ],
    reviews: [{ source: "json_ld", text: "Fresh.", author: "Jo", rating: 4, item: "Green tea" }],
    breadcrumbs: [
      {
        source: "microdata",
        items: [
          { position: 1, name: "Home", url: "http://site.test/" },
          { position: 2, name: "Tea" },
        ],
      },
    ],
    tables: [
      {
        caption: "Prices",
        header: ["Tea", "100 g", "1 kg"],
        rows: [
          ["Green", "4.50", "40.00"],
          ["Green", "on request", "on request"],
        ],
      },
    ],
    selected: {
      prices: [4.5, 1299],
      first: 4.5,
      sold: true,
      next: "http://site.test/next",
      label: "Next",
    },
    missing: [
      { name: "comma", reason: "wrong_type" },
      { name: "none", reason: "no_value" },
      { name: "gone", reason: "no_match" },
    ],
    extras: {
      json_ld: [expect.objectContaining({ "@graph": expect.any(Array) }), expect.any(Object)],
      microdata: [
        expect.objectContaining({ types: ["https://schema.org/BreadcrumbList"] }),
        {
          types: ["https://schema.org/Event"],
          properties: expect.objectContaining({ endDate: ["in the evening"], performer: ["Ren"] }),
        },
      ],
      rdfa: [expect.objectContaining({ types: ["https://schema.org/Organization"] })],
      app_state: {
        __NEXT_DATA__: { props: { id: "9007199254740993" } },
        __STATE__: { a: "};", b: [1] },
      },
    },
  });
  const bare = (await answer("web.extract", {})) as object;
  expect(Object.keys(bare)).not.toContain("extras");
});

test("an extract has the microformats that a script has written", async () => {
  const data = await rig.run("web.extract", { url: `${site.origin}/entry`, include_source: true });
  expect(data).toMatchObject({
    articles: [{ source: "microformats", title: "Harvest", url: `${site.origin}/harvest` }],
    extras: { microformats: [{ type: ["h-entry"] }] },
  });
});

test("a snapshot has every form of one render", async () => {
  const formats = [
    "html",
    "markdown",
    "main_content",
    "links",
    "screenshot",
    "metadata",
    "extract",
  ];
  const url = `${site.origin}/tea`;
  const before = site.hits.filter((path) => path === "/tea").length;
  const input = {
    formats,
    full_page: true,
    image_format: "webp",
    viewport: { width: 800, height: 600 },
  };
  const data = await rig.run("web.snapshot", { url, ...input });
  expect(site.hits.filter((path) => path === "/tea").length - before).toBe(1);
  expect(Object.keys(data).sort()).toEqual(["url", ...formats].sort());
  expect(data.html).toBe((await rig.run("browser.html", { url })).html);
  expect(data.markdown).toBe((await rig.run("browser.markdown", { url })).markdown);
  expect(data.main_content).toContain("Tea House");
  expect(data.links).toEqual((await rig.run("browser.links", { url })).links);
  expect({ url, ...data.metadata }).toEqual(await rig.run("web.metadata", { url }));
  expect({ url, ...data.extract }).toEqual(await rig.run("web.extract", { url }));
  // The page needs no browser, so its HTML states the same.
  const plain = await rig.run("web.fetch", { url, formats: ["extract"] });
  expect(plain.extract).toEqual(data.extract);
  const { format, image_base64 = "", size_bytes } = data.screenshot ?? {};
  const image = Buffer.from(image_base64, "base64");
  expect([format, size_bytes, image.toString("latin1", 8, 12)]).toEqual([
    "webp",
    image.length,
    "WEBP",
  ]);
});

test("a snapshot of a drawing has its picture and an empty text", async () => {
  const input = { url: `${site.origin}/drawing`, formats: ["markdown", "screenshot"] };
  expect(await rig.run("web.snapshot", input)).toMatchObject({
    markdown: "",
    screenshot: { format: "png" },
  });
  const both = { url: input.url, formats: ["html"], selectors: [{ name: "a", selector: "p" }] };
  await expect(rig.run("web.snapshot", both)).rejects.toThrow("only with the format extract");
});

test("a selector that is no CSS is refused by its place", async () => {
  const selectors = [
    { name: "a", selector: "p" },
    { name: "b", selector: "p[" },
  ];
  const error = await rig.failure("web.extract", { url: `${site.origin}/tea`, selectors });
  expect(error).toMatchObject({
    type: "validation_error",
    issues: [{ path: "selectors[1].selector", code: "invalid_selector" }],
  });
});

test.each(Object.keys(hostile))("%s is extracted in time and within the limits", async (path) => {
  const input = { url: `${site.origin}${path}`, include_source: true };
  const data = await rig.run("web.extract", input);
  const text = JSON.stringify(data);
  expect(text).toContain("text");
  expect(text.length).toBeLessThan(8_000_000);
  if (["/references", "/spans"].includes(path)) expect(data.is_cut).toBe(true);
  if (path === "/names")
    expect(data.products.map(({ name, sku }) => [name, sku])).toEqual([
      ["text", undefined],
      ["text", undefined],
    ]);
});
