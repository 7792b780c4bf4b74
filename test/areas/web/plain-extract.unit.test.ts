import { describe, expect, test } from "vitest";
import { extractOf } from "../../../worker/areas/web/plain-extract.ts";
import { readPlainPage } from "../../../worker/browser/plain/plain-page.ts";

const url = "https://site.test/dir/page";
type Input = Parameters<typeof extractOf>[2];

function resultOf(text: string, input: Partial<Input> = {}) {
  const given = { selectors: [], include_source: false, ...input };
  return extractOf(readPlainPage(text, url), { text, url }, given);
}

function read(text: string, input: Partial<Input> = {}) {
  const result = resultOf(text, input);
  if ("refusal" in result) throw new Error(JSON.stringify(result));
  return result.extract;
}

const value = (name: string, selector: string, more: object = {}) => ({
  name,
  selector,
  type: "text" as const,
  many: false,
  ...more,
});

describe("the extract of a page by plain HTTP", () => {
  test("JSON-LD, microdata, RDFa, OpenGraph and application state", () => {
    const found = read(
      `<base href="/shop/"><meta property="og:type" content="article"><meta property="og:title" content="News">
      <script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"Iced tea"}</script>
      <script>window.state = {"a": 1};</script>
      <div itemscope itemtype="https://schema.org/Product" itemref="more none"><b itemprop=name> Green
        tea</b><a itemprop=url href="a">x</a></div><p id=more><img itemprop=image src="a.jpg"></p>
      <div prefix="s: http://schema.org/" typeof="s:Event"><span property="s:name">Fair</span>
        <time property="s:startDate" datetime="2026-05-01">May</time></div>`,
      { include_source: true },
    );
    expect(found).toMatchObject({
      recipes: [{ source: "json_ld", name: "Iced tea" }],
      products: [
        {
          source: "microdata",
          name: "Green tea",
          url: "https://site.test/shop/a",
          image_urls: ["https://site.test/shop/a.jpg"],
        },
      ],
      events: [{ source: "rdfa", name: "Fair", start_at: "2026-05-01" }],
      articles: [{ source: "open_graph", title: "News" }],
      extras: { app_state: { state: { a: 1 } } },
    });
    expect(Object.keys(found.extras ?? {}).toSorted()).toEqual([
      "app_state",
      "json_ld",
      "microdata",
      "rdfa",
    ]);
  });

  test("tables with their spans, and none that only lay out", () => {
    const found = read(
      `<table><caption>Prices</caption><tr><th>Tea<th>Price<tr><td rowspan=0>Green<td>1<tr><td>2<tbody><tr><td rowspan=3>Black<td>3<tbody><tr><td>White<td>4</table>
       <table role=presentation><tr><td>1<td>2<tr><td>3<td>4</table>
       <table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>`,
    );
    const rows = [
      ["Green", "1"],
      ["Green", "2"],
      ["Black", "3"],
      ["White", "4"],
    ];
    expect(found.tables).toEqual([{ caption: "Prices", header: ["Tea", "Price"], rows }]);
  });

  test("the caller's fields, typed, and why others are missing", () => {
    const found = read(
      `<h1 class="a b">Title<script>no</script></h1><ul><li>1<li>2<li></ul><a class=next href="../x">n</a><i data-price="€ 12.50">p</i>`,
      {
        selectors: [
          value("title", "h1.a.b"),
          value("all", "li:nth-child(-n+2)", { type: "integer", many: true }),
          value("gap", "li", { many: true }),
          value("next", "a.next", { type: "url" }),
          value("price", "i", { attribute: "data-price", type: "number" }),
          value("when", "h1", { type: "date" }),
          value("none", "main > p"),
        ],
      },
    );
    expect(found.selected).toEqual({
      title: "Title",
      all: [1, 2],
      next: "https://site.test/x",
      price: 12.5,
    });
    expect(found.missing).toEqual([
      { name: "gap", reason: "no_value" },
      { name: "when", reason: "wrong_type" },
      { name: "none", reason: "no_match" },
    ]);
  });

  test("a text that is no selector, and values beyond the limit, are refused", () => {
    expect(resultOf("<p>", { selectors: [value("a", "p"), value("b", "p[")] })).toEqual({
      refusal: { selector: 1 },
    });
    const long = `<p>${"x".repeat(60_000)}`;
    expect(resultOf(long, { selectors: [value("a", "p")] })).toEqual({ refusal: "values" });
  });

  test.each([
    `{"@context": "https://schema.org", // where
      "@type": "Recipe", /* what */ "name": "Iced // tea",\n}`,
    `<!-- A recipe. -->{"@context": "https://schema.org", "@type": ["Recipe",], "name": "Iced\n// tea"}`,
  ])("JSON-LD with comments, needless commas and line ends in strings: %s", (text) => {
    const found = read(`<script type="application/ld+json">${text}</script>`);
    expect(found.recipes).toEqual([{ source: "json_ld", name: "Iced // tea" }]);
  });

  test("other names that schema.org's own context gives, and none by another context", () => {
    const json = (text: string) => read(`<script type="application/ld+json">${text}</script>`);
    const [recipe] = json(
      `{"@context":"https://schema.org","@graph":[{"type":"Recipe","name":"Iced tea","author":{"id":"#mai"}},{"@type":"schema:Person","id":"#mai","schema:name":"Mai"}]}`,
    ).recipes;
    expect(recipe).toEqual({ source: "json_ld", name: "Iced tea", authors: ["Mai"] });
    for (const context of [`{"@vocab":"https://schema.org/"}`, `"https://other.test/"`]) {
      expect(json(`{"@context":${context},"type":"Recipe","name":"Iced tea"}`).recipes).toEqual([]);
    }
    const event = `{"@context":["https://schema.org",{"type":"https://other.test/type"}],"@type":"Event","type":"Recipe","name":"Fair"}`;
    expect(json(event)).toMatchObject({ recipes: [], events: [{ name: "Fair" }] });
  });

  test("relations and resources of RDFa, which say of what a property is", () => {
    const found = read(
      `<main vocab="https://schema.org/"><article typeof="Product" resource="#cup"><b property="name">Cup</b>
        <div rel="brand"><i property="description">of nothing</i><p typeof="Brand"><i property="name">Leaf</i></p></div>
        <div rel="offers" typeof="Offer"><i property="price">3</i><i property="priceCurrency">EUR</i></div>
        <div rel="image" resource="/cup.jpg"></div><div rel="rdf:type" resource="https://schema.org/Vehicle"></div>
        <div resource="#shop"><i property="description">A shop</i></div><a rel="color" href="/terms">x</a></article>
        <p about="#cup"><i property="sku">C-1</i></p>
        <div resource="#none"><div property="about" typeof="Recipe"><i property="name">Iced tea</i></div></div></main>`,
    );
    expect(found.products).toEqual([
      {
        source: "rdfa",
        name: "Cup",
        brand: "Leaf",
        price: 3,
        currency: "EUR",
        sku: "C-1",
        image_urls: ["https://site.test/cup.jpg"],
      },
    ]);
    expect(found.recipes).toEqual([{ source: "rdfa", name: "Iced tea" }]);
  });

  test("addresses to write to and to call, and kinds of schema.org's subtypes", () => {
    const shop = `<a itemprop="email" href="mailto:a@site.test?subject=x">m</a><a itemprop="telephone" href="tel:+81-75-1">c</a><a itemprop="url" href="javascript:1">j</a>`;
    const found = read(
      `<div itemscope itemtype="https://schema.org/Plumber"><b itemprop="name">Leaf</b>${shop}</div>`,
    );
    expect(found.organisations).toEqual([
      { source: "microdata", name: "Leaf", email: "a@site.test", phone: "+81-75-1" },
    ]);
  });

  test("a document that is nested without end is read", () => {
    const found = read(
      `<script type="application/ld+json">{"@context":"https://schema.org","@type":"Recipe","name":"Tea"}</script>${"<b>".repeat(2000)}<i itemscope>`,
      { selectors: [value("deep", "i")] },
    );
    expect(found.recipes).toHaveLength(1);
  });
});

describe("microformats", () => {
  const page = (html: string) => read(html);

  test("an entry, and a note without a title", () => {
    const found = page(
      `<div class="h-full"><article class="h-entry"><h1 class="p-name">First <i>harvest</i></h1><a class="u-url" href="/first">x</a>
       <a class="p-author h-card" href="/mai">Mai</a><time class="dt-published" datetime="2026-05-01T08:00:00Z">May</time>
       <p class="p-summary">Early</p><a class="p-category">tea</a><a class="p-category">spring</a>
       <img class="u-photo" src="a.jpg" alt="A leaf"><div class="e-content"><p>Leaves</p></div></article>
       <article class="h-entry"><p class="p-name e-content">Just a note</p></article></div>`,
    );
    expect(found.articles).toEqual([
      {
        source: "microformats",
        title: "First harvest",
        description: "Early",
        url: "https://site.test/first",
        authors: ["Mai"],
        published_at: "2026-05-01T08:00:00Z",
        keywords: ["tea", "spring"],
        image_urls: ["https://site.test/dir/a.jpg"],
      },
    ]);
    // A person is no organisation.
    expect(found.organisations).toEqual([]);
  });

  test("a product with its rating, a recipe, a review and an organisation", () => {
    const found = page(
      `<div class="h-product"><span class="p-name">Cup</span><data class="p-price" value="EUR 1,299.50">x</data><span class="p-brand">Leaf</span>
        <div class="p-review h-review-aggregate"><b class="p-average">4.5</b><b class="p-best">5</b><b class="p-count">12</b></div></div>
       <div class="h-recipe"><b class="p-name">Iced tea</b><i class="p-ingredient">10 g tea</i><i class="p-ingredient">ice</i>
        <time class="dt-duration" datetime="PT1H">an hour</time><b class="p-yield">4</b><p class="e-instructions">Pour</p></div>
       <div class="h-review"><b class="p-item">Tea House</b><b class="p-rating">3</b><b class="p-best">5</b><p class="e-content">Good</p>
        <b class="p-author">Jo</b></div>
       <div class="h-card"><a class="p-name p-org u-url" href="/">Leaf Ltd</a><a class="u-email" href="mailto:a@site.test?subject=x">m</a>
        <span class="p-locality">Kyoto</span><span class="p-country-name">Japan</span></div>`,
    );
    expect(found.products).toEqual([
      {
        source: "microformats",
        name: "Cup",
        brand: "Leaf",
        price: 1299.5,
        currency: "EUR",
        rating: 4.5,
        rating_max: 5,
        reviews_count: 12,
      },
    ]);
    expect(found.recipes).toMatchObject([
      {
        name: "Iced tea",
        total_seconds: 3600,
        yield: "4",
        ingredients: ["10 g tea", "ice"],
        instructions: ["Pour"],
      },
    ]);
    expect(found.reviews).toEqual([
      {
        source: "microformats",
        text: "Good",
        author: "Jo",
        rating: 3,
        rating_max: 5,
        item: "Tea House",
      },
    ]);
    expect(found.organisations).toEqual([
      {
        source: "microformats",
        name: "Leaf Ltd",
        url: "https://site.test/",
        email: "a@site.test",
        address: { city: "Kyoto", country: "Japan" },
      },
    ]);
  });

  test("an event in the older classes, at a place with an address", () => {
    const found = page(
      `<div class="vevent"><b class="summary">Fair</b><abbr class="dtstart" title="2026-05-01">May</abbr>
       <div class="location vcard"><b class="fn org">Tea House</b><div class="adr"><b class="locality">Uji</b></div></div></div>`,
    );
    expect(found.events).toEqual([
      {
        source: "microformats",
        name: "Fair",
        start_at: "2026-05-01",
        place: "Tea House",
        address: { city: "Uji" },
      },
    ]);
  });

  test("a relative base, bases that are none, and addresses that are none", () => {
    const card = '<div class="h-card"><a class="p-name p-org u-url" href="shop">Leaf</a></div>';
    const at = (html: string) => {
      const { organisations, is_cut: isCut } = page(html);
      return [isCut, organisations[0]?.url];
    };
    expect(at(`<base href="/bb/">${card}`)).toEqual([undefined, "https://site.test/bb/shop"]);
    const broken = '<base target=x><base href="//[x"><base href="data:,x">';
    expect(at(`${broken}<base href="../cc/">${card}`)).toEqual([
      undefined,
      "https://site.test/cc/shop",
    ]);
    expect(at(`<a href="//[host]/">x</a>${card}`)).toEqual([
      undefined,
      "https://site.test/dir/shop",
    ]);
    expect(at(card.replace("shop", "//[host]/"))).toEqual([undefined, undefined]);
  });

  test("values in attributes, noon and midnight, and the name beside a picture", () => {
    const at = (time: string) =>
      page(
        `<div class="h-event"><b class="p-name">Fair</b><p class="dt-start"><abbr class="value" title="2026-05-01">May</abbr>
         <b class="value">${time}</b></p></div>`,
      ).events[0]?.start_at;
    expect(["12:30 pm", "12 a.m.", "1:05pm", "09:10"].map(at)).toEqual([
      "2026-05-01 12:30",
      "2026-05-01 00:00",
      "2026-05-01 13:05",
      "2026-05-01 09:10",
    ]);
    const cup = `<a class="h-product" href="/cup"><img alt="Picture"> <b>Cup</b></a>`;
    expect(page(cup).products).toMatchObject([{ name: "Picture Cup" }]);
  });
});
