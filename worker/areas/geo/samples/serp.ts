import { withRectangles } from "../../../sandbox/dataforseo-search-page.ts";
import type { SampleRequest } from "../../../sandbox/sample.ts";
import { type SampleTask, live } from "../../../sandbox/dataforseo-live.ts";
import { moment, site, words } from "../../../sandbox/figures.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

const cell = (v: Vary, name: string) => v.pick(name, words);

function reference(v: Vary, index: number, side = "right") {
  // One is a domain that callers are likely to try first.
  const domain = index === 2 ? "www.example.com" : site(vary(v.digits("site", 9), index), index);
  return {
    type: "ai_overview_reference",
    rank_group: index,
    rank_absolute: 20 + index,
    position: side,
    source: `The ${cell(v, `source ${index}`)} Review`,
    domain,
    url: `https://${domain}/${cell(v, `page ${index}`)}#:~:text=${cell(v, `passage ${index}`)}`,
    title: `A guide to ${cell(v, `guide ${index}`)}`,
    text: `What matters about ${cell(v, `matter ${index}`)}`,
  };
}

const link = (v: Vary, index: number) => ({
  type: "link_element",
  title: `according to ${cell(v, `link ${index}`)}`,
  description: index === 1 ? `More on ${cell(v, `more ${index}`)}` : null,
  url: `https://${index === 2 ? "example.com" : `${cell(v, `host ${index}`)}.example`}/about`,
  domain: index === 2 ? "example.com" : `${cell(v, `host ${index}`)}.example`,
});

/** The second picture is a copy on the vendor's own host. */
const images = (v: Vary) => [
  {
    type: "images_element",
    alt: `A picture of ${cell(v, "picture")}`,
    url: `https://${cell(v, "picture host")}.example/gallery`,
    image_url: `https://images.example/${cell(v, "picture")}.webp`,
  },
  {
    type: "images_element",
    alt: null,
    url: `https://${cell(v, "second host")}.example/gallery`,
    image_url: "https://api.dataforseo.com/cdn/i/07010000-0000-0000-0000-000000000000:1",
  },
];

function sections(v: Vary, subject: string, isConversation: boolean) {
  const plain = { rank_group: 1, rank_absolute: 1, position: "left" };
  const text = {
    type: "ai_overview_element",
    ...plain,
    title: null,
    text: `About ${subject}: think of ${cell(v, "thought")} first.`,
    markdown: `About **${subject}**: think of ${cell(v, "thought")} first.`,
    links: [link(v, 1), link(v, 2)],
    images: images(v),
    references: [reference(v, 1, "left"), reference(v, 2, "left")],
  };
  const steps = {
    type: "ai_overview_expanded_element",
    position: "left",
    title: `Step 1: ${cell(v, "step")}`,
    text: `Begin with the ${cell(v, "beginning")}.`,
    components: [
      {
        type: "ai_overview_expanded_component",
        rank_group: 0,
        rank_absolute: 0,
        title: `Why ${cell(v, "why")}`,
        text: `Because of the ${cell(v, "because")}.`,
        markdown: `- Because of the ${cell(v, "because")}.`,
        images: null,
        links: [link(v, 3)],
        references: [reference(v, 3, "left")],
      },
    ],
    references: null,
  };
  const film = {
    type: "ai_overview_video_element",
    ...plain,
    title: `${subject} in five minutes`,
    snippet: `A short film about ${cell(v, "film")}`,
    url: `https://videos.example/watch/${cell(v, "film")}`,
    domain: "videos.example",
    source: "Sample Videos",
    date: "3 weeks ago",
    timestamp: moment(v, "film", 2026),
    image_url: `https://images.example/film-${cell(v, "film")}.webp`,
  };
  const table = {
    type: "ai_overview_table_element",
    ...plain,
    markdown: `| Kind | ${cell(v, "column")} |`,
    table: {
      table_header: isConversation ? ["Kind", cell(v, "column")] : null,
      table_content: [
        ["first", cell(v, "first")],
        ["second", null],
      ],
    },
  };
  const shop = {
    type: "ai_overview_shopping",
    ...plain,
    title: `Where to get ${subject}`,
    items: [
      {
        type: "ai_overview_shopping_element",
        title: `${subject} set`,
        url: "https://shop.example/set",
        domain: "shop.example",
        description: `For ${cell(v, "buyer")}`,
        price: { current: v.int("price", 20, 90), currency: "USD" },
        seller: "Sample Shop",
        image_url: `https://images.example/shop-${cell(v, "buyer")}.webp`,
      },
    ],
  };
  const advert = {
    type: "ai_overview_paid",
    ...plain,
    text: `Sponsored ${cell(v, "sponsor")}`,
    markdown: `Sponsored **${cell(v, "sponsor")}**`,
    items: [
      {
        type: "ai_overview_paid_element",
        title: "An offer",
        url: "https://www.example.com/offer",
        domain: "www.example.com",
        snippet: "Only today",
      },
    ],
  };
  return isConversation ? [text, steps, film, table, shop, advert] : [text, steps, film, table];
}

/** A generated answer as an element of a page, in a conversation or above organic results. */
export function generatedAnswer(subject: string, isConversation: boolean) {
  const v = vary("generated answer", subject, isConversation ? 1 : 2);
  return {
    type: "ai_overview",
    rank_group: 1,
    rank_absolute: 1,
    page: 1,
    position: "left",
    xpath: "/html[1]/body[1]/div[1]",
    title: isConversation ? null : `Overview of ${subject}`,
    asynchronous_ai_overview: !isConversation,
    markdown: `About **${subject}**: think of ${cell(v, "thought")} first. [1]`,
    items: sections(v, subject, isConversation),
    references: [1, 2, 4, 5].map((index) => reference(v, index)),
    rectangle: null,
  };
}

function conversation(task: SampleTask, request: SampleRequest) {
  const subject = String(task.keyword);
  const v = vary("conversation", subject);
  const items = request.empty ? [] : [generatedAnswer(subject, true)];
  return {
    keyword: subject,
    type: "ai_mode",
    se_domain: "google.com",
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    check_url: `https://www.google.com/search?q=${encodeURIComponent(subject)}&udm=50`,
    datetime: moment(v, "seen", 2026),
    spell: null,
    refinement_chips: null,
    item_types: items.map(({ type }) => type),
    se_results_count: 0,
    items_count: items.length,
    items: withRectangles(task, items),
  };
}

function organic(v: Vary, subject: string, index: number, rank: number) {
  const domain = index === 1 ? "www.example.com" : site(vary("organic", subject, index), index);
  return {
    type: "organic",
    rank_group: index,
    rank_absolute: rank,
    page: 1,
    position: "left",
    xpath: "/html[1]/body[1]/div[2]",
    domain,
    title: `${subject}: ${cell(v, `title ${index}`)}`,
    url: `https://${domain}/${cell(v, `path ${index}`)}-${index}`,
    breadcrumb: `https://${domain} > ${cell(v, `path ${index}`)}`,
    description: `Everything about ${subject} and ${cell(v, `other ${index}`)}`,
    highlighted: index === 2 ? null : [subject],
    is_paid: null,
    links: index === 2 ? [link(v, index)] : null,
    rectangle: null,
  };
}

/** A page of organic results: first an overview, where requested, and an advert in between. */
export function organicPage(task: SampleTask, request: Pick<SampleRequest, "empty">) {
  const subject = String(task.keyword);
  const v = vary("organic page", subject);
  const overview = task.load_async_ai_overview ? [generatedAnswer(subject, false)] : [];
  const advert = {
    type: "paid",
    rank_group: 1,
    rank_absolute: overview.length + 1,
    page: 1,
    position: "left",
    title: `Buy ${subject}`,
    url: "https://shop.example/offers",
    domain: "shop.example",
    description: "Only today",
  };
  const depth = Number(task.depth ?? 10);
  const results = Array.from({ length: depth }, (_, index) =>
    organic(v, subject, index + 1, overview.length + index + 2),
  );
  const items = request.empty ? [] : [...overview, advert, ...results];
  return {
    keyword: subject,
    type: "organic",
    se_domain: "google.com",
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    check_url: `https://www.google.com/search?q=${encodeURIComponent(subject)}`,
    datetime: moment(v, "seen", 2026),
    spell: null,
    refinement_chips: null,
    item_types: request.empty ? null : [...new Set(items.map(({ type }) => type))],
    se_results_count: request.empty ? 0 : v.int("total", 1000, 9_000_000),
    items_count: items.length,
    items: withRectangles(task, items),
  };
}

export const geoSerp = {
  ...live("/v3/serp/google/ai_mode/live/advanced", conversation),
  ...live("/v3/serp/google/organic/live/advanced", organicPage),
};
