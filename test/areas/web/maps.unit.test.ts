import { describe, expect, test } from "vitest";
import { parseAssigned, parseWhole } from "../../../worker/areas/web/json-text.map.ts";
import { openGraphRecords } from "../../../worker/areas/web/open-graph.map.ts";
import { recordsOf } from "../../../worker/areas/web/records.map.ts";
import { selectedOf } from "../../../worker/areas/web/selected.map.ts";
import { thingOfItem, thingsOfJsonLd } from "../../../worker/areas/web/things.map.ts";
import { momentIn, plainNumber } from "../../../worker/areas/web/values.map.ts";

const base = "https://site.test/page";
const schema = { "@context": "https://schema.org" };
const recordsIn = (document: object) => recordsOf(thingsOfJsonLd({ ...schema, ...document }), base);

describe("records of schema.org's types", () => {
  test("a job posting", () => {
    const { job_postings } = recordsIn({
      "@type": "JobPosting",
      title: "Tea taster",
      description: "Tastes tea",
      url: "/jobs/1",
      hiringOrganization: { "@type": "Organization", name: "Tea House" },
      datePosted: "2026-05-01",
      validThrough: "2026-06-01T00:00",
      employmentType: ["FULL_TIME", "CONTRACTOR"],
      jobLocationType: "TELECOMMUTE",
      jobLocation: {
        "@type": "Place",
        address: {
          "@type": "PostalAddress",
          addressRegion: "Kyoto",
          postalCode: "611-0021",
          addressCountry: { "@type": "Country", name: "JP" },
        },
      },
      baseSalary: {
        "@type": "MonetaryAmount",
        currency: "jpy",
        value: {
          "@type": "QuantitativeValue",
          minValue: 300000,
          maxValue: "400000",
          unitText: "MONTH",
        },
      },
    });
    expect(job_postings).toEqual([
      {
        source: "json_ld",
        title: "Tea taster",
        description: "Tastes tea",
        url: "https://site.test/jobs/1",
        organisation: "Tea House",
        posted_at: "2026-05-01",
        valid_until: "2026-06-01T00:00",
        employment_types: ["full_time", "contractor"],
        locations: [{ region: "Kyoto", postal_code: "611-0021", country: "JP" }],
        is_remote: true,
        salary_low: 300000,
        salary_high: 400000,
        salary_period: "month",
        currency: "JPY",
      },
    ]);
  });

  test("a recipe", () => {
    const { recipes } = recordsIn({
      "@type": ["Recipe", "Thing"],
      name: "Iced tea",
      description: "Cold",
      url: "/iced",
      author: [{ "@type": "Person", name: "Mai" }, "Ren", "https://people.test/jo"],
      image: "https://cdn.test/a.jpg",
      prepTime: "PT10M",
      cookTime: "PT1H30M",
      totalTime: "P1DT2S",
      recipeYield: 4,
      recipeIngredient: ["10 g tea", "ice"],
      recipeInstructions: [
        {
          "@type": "HowToSection",
          name: "Brew",
          itemListElement: [{ "@type": "HowToStep", text: "Pour" }],
        },
        "Cool",
      ],
      recipeCategory: "Drink",
      recipeCuisine: "Japanese",
      nutrition: { "@type": "NutritionInformation", calories: "2 kcal" },
      aggregateRating: { "@type": "AggregateRating", ratingValue: 5, ratingCount: 3 },
    });
    expect(recipes).toEqual([
      {
        source: "json_ld",
        name: "Iced tea",
        description: "Cold",
        url: "https://site.test/iced",
        authors: ["Mai", "Ren"],
        image_urls: ["https://cdn.test/a.jpg"],
        preparation_seconds: 600,
        cooking_seconds: 5400,
        total_seconds: 86402,
        yield: "4",
        ingredients: ["10 g tea", "ice"],
        instructions: ["Pour", "Cool"],
        category: "Drink",
        cuisine: "Japanese",
        calories: "2 kcal",
        rating: 5,
        reviews_count: 3,
      },
    ]);
  });

  test("an article, a review of its own and a claim about another vocabulary", () => {
    const found = recordsIn({
      "@graph": [
        {
          "@type": "NewsArticle",
          headline: "Harvest",
          description: "Early",
          mainEntityOfPage: { "@type": "WebPage", "@id": "https://site.test/harvest" },
          author: { "@type": "Person", name: "Mai" },
          publisher: { "@type": "Organization", name: "Leaf" },
          datePublished: "2026-05-01T08:00:00Z",
          dateModified: "1 May 2026",
          articleSection: "Fields",
          keywords: "tea, harvest",
          inLanguage: "en",
          image: ["/a.jpg", "/a.jpg"],
          wordCount: "420",
          isAccessibleForFree: "False",
        },
        {
          "@type": "Review",
          name: "Good",
          author: { "@type": "Person", name: "Jo" },
          itemReviewed: { "@type": "Book", name: "Tea" },
          reviewRating: { "@type": "Rating", ratingValue: "3", bestRating: "5" },
          datePublished: "2026-05",
        },
        { "@type": "https://other.test/Product", name: "no product" },
      ],
    });
    expect(found).toMatchObject({ products: [], organisations: [] });
    expect(found.articles).toEqual([
      {
        source: "json_ld",
        title: "Harvest",
        description: "Early",
        url: "https://site.test/harvest",
        authors: ["Mai"],
        publisher: "Leaf",
        published_at: "2026-05-01T08:00:00Z",
        section: "Fields",
        keywords: ["tea", "harvest"],
        language: "en",
        image_urls: ["https://site.test/a.jpg"],
        words_count: 420,
        is_free: false,
      },
    ]);
    expect(found.reviews).toEqual([
      {
        source: "json_ld",
        title: "Good",
        author: "Jo",
        item: "Tea",
        rating: 3,
        rating_max: 5,
        published_at: "2026-05",
      },
    ]);
  });

  test("an event online with a range of prices, and an organisation", () => {
    const found = recordsIn({
      "@graph": [
        {
          "@type": "MusicEvent",
          name: "Concert",
          url: "/concert",
          startDate: "2026-05-01",
          eventStatus: "https://schema.org/EventScheduled",
          eventAttendanceMode: "https://schema.org/OnlineEventAttendanceMode",
          location: { "@type": "VirtualLocation", url: "https://live.test/" },
          organizer: { "@type": "Organization", name: "Leaf" },
          performer: [{ "@type": "Person", name: "Ren" }],
          offers: {
            "@type": "AggregateOffer",
            lowPrice: "10",
            highPrice: 20.5,
            priceCurrency: "EUR",
          },
        },
        {
          "@type": "LocalBusiness",
          name: "Tea House",
          legalName: "Tea House Ltd",
          telephone: "+81 774 000000",
          contactPoint: { "@type": "ContactPoint", email: "hello@site.test" },
          address: "1 Leaf Lane, Uji",
          sameAs: ["https://social.test/tea", "javascript:alert(1)"],
          foundingDate: "1990",
        },
      ],
    });
    expect(found.events).toEqual([
      {
        source: "json_ld",
        name: "Concert",
        url: "https://site.test/concert",
        start_at: "2026-05-01",
        event_status: "scheduled",
        attendance: "online",
        organiser: "Leaf",
        performers: ["Ren"],
        price_low: 10,
        price_high: 20.5,
        currency: "EUR",
      },
    ]);
    expect(found.organisations).toEqual([
      {
        source: "json_ld",
        name: "Tea House",
        legal_name: "Tea House Ltd",
        phone: "+81 774 000000",
        email: "hello@site.test",
        address: { text: "1 Leaf Lane, Uji" },
        same_as: ["https://social.test/tea"],
        founded: "1990",
      },
    ]);
  });

  test("a product of microdata has the offer that states a price", () => {
    const item = {
      types: ["http://schema.org/Product"],
      properties: [
        ["name", "Tea"],
        ["http://schema.org/category", "Leaves"],
        ["offers", { types: ["http://schema.org/Offer"], properties: [["price", "call us"]] }],
        [
          "offers",
          {
            types: ["http://schema.org/Offer"],
            properties: [
              ["price", "5"],
              ["priceCurrency", "€"],
              ["seller", "Leaf"],
            ],
          },
        ],
      ] as never,
    };
    expect(recordsOf([thingOfItem(item, "microdata")], base).products).toEqual([
      { source: "microdata", name: "Tea", category: "Leaves", price: 5, seller: "Leaf" },
    ]);
  });
});

test.each([
  [{ "@context": "https://schema.org", "@type": "Product", name: "a" }, 1],
  [
    {
      "@context": ["http://schema.org/", { name: "https://x.test/n" }],
      "@type": "Product",
      name: "a",
    },
    0,
  ],
  [{ "@context": { s: "https://schema.org/" }, "@type": "s:Product", "s:name": "a" }, 1],
  [{ "@context": { s: "https://other.test/" }, "@type": "s:Product", "s:name": "a" }, 0],
  [{ "@context": "https://other.test/context", "@type": "Product", name: "a" }, 0],
  [{ "@type": "Product", name: "a" }, 0],
  [{ "@type": "schema.org/Product", "schema.org/name": "a" }, 1],
  [{ "@context": "https://notschema.org", "@type": "Product", name: "a" }, 0],
  [{ "@context": "https://schema.org.test/", "@type": "Product", name: "a" }, 0],
  [
    {
      "@type": "https://schema.org/Product",
      "https://schema.org/name": { "@value": "a", "@language": "en" },
    },
    1,
  ],
  [
    [
      {
        "@context": "https://schema.org",
        "@type": "WebPage",
        mainEntity: { "@type": "Product", name: "a" },
      },
    ],
    1,
  ],
])("terms are schema.org's only where the page says so: %j", (document, count) => {
  expect(recordsOf(thingsOfJsonLd(document), base).products).toHaveLength(count);
});

test.each([
  "schema.org",
  "http://www.schema.org/",
  "//schema.org/",
  "HTTPS://Schema.org",
  "http://schema.org#",
])("terms are schema.org's by the context %s", (context) => {
  const things = thingsOfJsonLd({ "@context": context, "@type": "Product", name: "a" });
  expect(recordsOf(things, base).products).toHaveLength(1);
});

test("a kind has at most 200 records, and things that refer to each other end", () => {
  const products = Array.from({ length: 300 }, (_, at) => ({ "@type": "Product", name: `p${at}` }));
  const { isCut, ...lists } = recordsIn({ "@graph": products });
  expect([lists.products.length, isCut]).toEqual([200, true]);
  const circle = ["a", "b"].map((id, at) => ({
    "@type": "Product",
    "@id": id,
    name: id,
    isRelatedTo: { "@id": ["b", "a"][at] },
  }));
  expect(recordsIn({ "@graph": circle }).products.map(({ name }) => name)).toEqual(["a", "b"]);
});

test("OpenGraph states an article or product by its type, and nothing without a title", () => {
  const article = [
    ["og:type", "article"],
    ["og:title", "Harvest"],
    ["og:url", "/harvest"],
    ["article:author", "https://people.test/mai"],
    ["article:author", "Mai"],
    ["article:tag", "tea"],
    ["article:published_time", "2026-05-01"],
  ] as const;
  expect(openGraphRecords(article, base)).toEqual({
    articles: [
      {
        source: "open_graph",
        title: "Harvest",
        url: "https://site.test/harvest",
        authors: ["Mai"],
        keywords: ["tea"],
        published_at: "2026-05-01",
      },
    ],
    products: [],
  });
  expect(openGraphRecords([["og:type", "product"]], base)).toEqual({ articles: [], products: [] });
});

test("numbers and dates count only in a form that has one meaning", () => {
  const numbers = ["1299.5", "1,299.50", "-3", "1,299", "1.299,00", "12 €", "1e5", "", "١٢"];
  expect(numbers.map(plainNumber)).toEqual([1299.5, 1299.5, -3, ...Array(6).fill(undefined)]);
  const dates = ["2026", "2026-05", "2026-02-28", "2026-05-01T10:00:00.5+0900", "2026-02-29"];
  const others = ["05/01/2026", "2026-13", "2026-05-01T10:61", "1 May 2026", "2026-05-01 x"];
  expect(dates.map(momentIn)).toEqual([...dates.slice(0, 4), undefined]);
  expect(others.map(momentIn)).toEqual(others.map(() => undefined));
});

test("selected values are of their type, and a list with a wrong value is missing whole", () => {
  const one = (type: "integer" | "number" | "date" | "boolean", ...texts: string[]) =>
    selectedOf([{ name: "a", type, many: true }], [texts]);
  expect(one("number", "€ 4.50", "4.50€", "USD 1,000.00", "-5")).toEqual({
    selected: { a: [4.5, 4.5, 1000, -5] },
  });
  expect(one("integer", "5", "5.5").missing).toEqual([{ name: "a", reason: "wrong_type" }]);
  expect(one("number", "from 5").missing).toEqual([{ name: "a", reason: "wrong_type" }]);
  expect(one("boolean", "True", "false").selected).toEqual({ a: [true, false] });
  expect(one("date", "2026-05-01").selected).toEqual({ a: ["2026-05-01"] });
  expect(selectedOf([], [])).toEqual({});
});

test("JSON in scripts is read whole, or up to the end of an assignment, and never too deep", () => {
  expect(parseWhole('<!-- {"a": [1]} -->')).toEqual({ a: [1] });
  for (const text of [
    "//<![CDATA[\n[1]\n//]]>",
    "/* <![CDATA[ */[1]/* ]]> */",
    "<![CDATA[ [1] ]]>",
    "//<![CDATA[\n[1];\n//]]>",
    "<!--//--><![CDATA[//><!--\n[1,]\n//--><!]]>",
    "<!--\n// one\n[1,];\n//-->",
    "[1];",
  ]) {
    expect(parseWhole(text), text).toEqual([1]);
  }
  expect(
    ["1", "[1]; [2]", '{"a":1} x', '{"a":', "", "{a:1}", "[".repeat(200) + "]".repeat(200)].map(
      parseWhole,
    ),
  ).toEqual(Array(7).fill(undefined));
  expect(parseAssigned('{"a": "};\\""};\nrun()')).toEqual({ a: '};"' });
  expect(['{"a":1}.b', '{"a":1} || {}', "{a:1};"].map(parseAssigned)).toEqual(
    Array(3).fill(undefined),
  );
});
