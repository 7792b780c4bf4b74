import { withRectangles } from "../../../sandbox/dataforseo-search-page.ts";
import { type SampleTask, live } from "../../../sandbox/dataforseo-live.ts";
import { moment, words } from "../../../sandbox/figures.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

const decoded = (keyword: unknown) => decodeURIComponent(String(keyword));
const stars = (v: Vary) => ({
  rating_type: "Max5",
  value: v.int("stars", 10, 50) / 10,
  votes_count: v.int("votes", 1, 9000),
  rating_max: 5,
});

interface Options {
  /** A generated answer above the results. */
  withAnswer: boolean;
  /** Host of the third result and of some references. */
  host?: string | undefined;
}

function organic(query: string, index: number, options: Options) {
  const v = vary("organic", query, index);
  const domain =
    index === 2 && options.host
      ? options.host
      : `www.${v.pick("site", words)}-${index + 1}.example`;
  const title = `${v.pick("title", words)} for ${query}`;
  return {
    type: "organic",
    position: "left",
    page: 1 + Math.floor(index / 10),
    xpath: "/html[1]/body[1]/div[1]",
    domain,
    title,
    url: `https://${domain}/${v.pick("path", words)}-${index}`,
    cache_url: null,
    breadcrumb: `https://${domain} > ${v.pick("crumb", words)}`,
    website_name: index % 4 === 3 ? null : v.pick("name", words),
    is_image: false,
    description: index % 5 === 4 ? null : `Everything about ${query} and ${v.pick("more", words)}`,
    images:
      index % 4 === 1
        ? [
            {
              type: "images_element",
              alt: title,
              url: `https://${domain}/`,
              image_url: `https://images.example/${v.digits("image", 8)}.jpg`,
            },
          ]
        : null,
    rating: index % 3 === 1 ? stars(v) : null,
    highlighted: [query],
    links:
      index % 6 === 5
        ? [
            {
              type: "link_element",
              title: `${v.pick("link", words)} page`,
              description: null,
              url: `https://${domain}/more`,
              domain,
            },
          ]
        : null,
    timestamp: index % 4 === 2 ? moment(v, "published", 2026) : null,
    rectangle: null,
  };
}

const paid = (query: string) => {
  const v = vary("paid", query);
  const domain = `shop.${v.pick("site", words)}.example`;
  return {
    type: "paid",
    position: "left",
    page: 1,
    title: `Buy ${query} today`,
    domain,
    url: `https://${domain}/offer`,
    description: `Offers on ${query}`,
    is_paid: true,
    rating: stars(v),
    rectangle: null,
  };
};

function reference(v: Vary, index: number, host: string | undefined) {
  const domain =
    index === 1 && host ? host : `${v.pick(`source ${index}`, words)}-${index}.example`;
  // The same page is cited for two passages.
  const page = index === 3 ? 2 : index;
  return {
    type: "ai_overview_reference",
    position: "left",
    source: `The ${v.pick(`name ${index}`, words)}`,
    domain: index === 3 ? `${v.pick("source 2", words)}-2.example` : domain,
    url: `https://${index === 3 ? `${v.pick("source 2", words)}-2.example` : domain}/guide-${page}#:~:text=part%20${index}`,
    title: `${v.pick(`title ${index}`, words)} guide`,
    text: `What ${v.pick(`text ${index}`, words)} means`,
  };
}

function answer(query: string, host: string | undefined) {
  const v = vary("answer", query);
  const references = [0, 1, 2, 3].map((index) => reference(v, index, host));
  return {
    type: "ai_overview",
    position: "left",
    page: 1,
    title: `About ${query}`,
    markdown: `**${query}** in short.`,
    asynchronous_ai_overview: false,
    items: [
      {
        type: "ai_overview_element",
        position: "left",
        title: `${query} at a glance`,
        text: `In short, ${query} is a matter of ${v.pick("text", words)}.`,
        links: [
          {
            type: "link_element",
            title: v.pick("link", words),
            url: `https://${v.pick("link", words)}.example/`,
            domain: `${v.pick("link", words)}.example`,
          },
        ],
        references: references.slice(0, 2),
      },
    ],
    references,
    rectangle: null,
  };
}

function questions(query: string) {
  const v = vary("questions", query);
  return {
    type: "people_also_ask",
    position: "left",
    page: 1,
    items: [0, 1, 2].map((index) => {
      const domain = `${v.pick(`site ${index}`, words)}.example`;
      return {
        type: "people_also_ask_element",
        title: `What is ${query} number ${index + 1}?`,
        seed_question: null,
        expanded_element:
          index === 2
            ? null
            : [
                {
                  type: "people_also_ask_expanded_element",
                  title: `${query} answered`,
                  url: `https://${domain}/answer-${index}`,
                  domain,
                  description: `It is ${v.pick(`answer ${index}`, words)}.`,
                },
              ],
      };
    }),
    rectangle: null,
  };
}

const stories = (query: string) => ({
  type: "top_stories",
  position: "left",
  page: 1,
  title: "Top stories",
  items: [0, 1].map((index) => {
    const v = vary("stories", query, index);
    const domain = `${v.pick("site", words)}-news.example`;
    return {
      type: "top_stories_element",
      source: `${v.pick("paper", words)} post`,
      domain,
      title: `${query}: ${v.pick("title", words)}`,
      date: `${2 + index} hours ago`,
      timestamp: index === 0 ? moment(v, "published", 2026) : null,
      url: `https://${domain}/story-${index}`,
      // A picture on the vendor's own host.
      image_url: index === 0 ? "https://api.dataforseo.com/cdn/i/00000000-0000:1" : null,
      badges: null,
    };
  }),
});

/** An entry of a local pack. */
function place(v: Vary, title: string) {
  return {
    title,
    description: `${v.int("years", 2, 40)}+ years in business`,
    domain: `${v.pick("site", words)}.example`,
    url: `https://${v.pick("site", words)}.example/`,
    phone: `+1 555-0${v.int("phone", 100, 199)}`,
    address: `${v.int("number", 1, 200)} ${v.pick("street", words)} Street`,
    category: `${v.pick("category", words)} store`,
    latitude: v.int("latitude", -800_000, 800_000) / 10_000,
    longitude: v.int("longitude", -1_700_000, 1_700_000) / 10_000,
    image_url: `https://images.example/${v.digits("image", 8)}.jpg`,
    rating: stars(v),
    cid: v.digits("cid", 19),
  };
}

function localPack(query: string) {
  const v = vary("local", query);
  const title = `${v.pick("title", words)} of ${query}`;
  return { type: "local_pack", position: "left", page: 1, is_paid: false, ...place(v, title) };
}

function hotels(query: string) {
  return {
    type: "hotels_pack",
    position: "right",
    page: 1,
    title: `Places to stay for ${query}`,
    items: [0, 1].map((index) => {
      const v = vary("hotels", query, index);
      return {
        type: "hotels_pack_element",
        rank_group: index + 1,
        rank_absolute: index + 1,
        is_paid: index === 1,
        ...place(v, `Hotel ${v.pick("hotel", words)}`),
        items: [{ type: "hotels_pack_offer", title: `${v.pick("offer", words)} room` }],
      };
    }),
  };
}

const searches = (query: string) => ({
  type: "related_searches",
  position: "left",
  page: 1,
  items: words.slice(0, 3).map((word) => `${query} ${word}`),
});

/** A result page in display order, with `depth` organic elements. */
export function serpElements(query: string, depth: number, options: Options): object[] {
  const results = Array.from({ length: depth }, (_, index) => organic(query, index, options));
  const elements: object[] = [
    paid(query),
    ...(options.withAnswer ? [answer(query, options.host)] : []),
    ...results.slice(0, 1),
    localPack(query),
    questions(query),
    ...results.slice(1, 4),
    stories(query),
    hotels(query),
    ...results.slice(4),
    searches(query),
  ];
  const groups = new Map<string, number>();
  return elements.map((element, index) => {
    const { type } = element as { type: string };
    const group = (groups.get(type) ?? 0) + 1;
    groups.set(type, group);
    // The last block has no rank.
    const isLast = index === elements.length - 1;
    return { ...element, rank_group: group, rank_absolute: isLast ? 0 : index + 1 };
  });
}

function search(task: SampleTask, isEmpty: boolean) {
  const query = decoded(task.keyword);
  const v = vary("search", query);
  const [match] = (task.stop_crawl_on_match ?? []) as { match_value: string }[];
  const items = isEmpty
    ? []
    : serpElements(query, Math.min(Number(task.depth ?? 10), 40), {
        withAnswer: true,
        host: match?.match_value.includes("*") ? undefined : "shop.example.com",
      });
  const types = [...new Set(items.map((item) => (item as { type: string }).type))];
  return {
    keyword: query,
    type: "organic",
    se_domain: "search.example",
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    check_url: `https://search.example/search?q=${encodeURIComponent(query)}`,
    datetime: moment(v, "seen", 2026),
    spell: query.length % 2 === 1 ? { keyword: `${query} again`, type: "did_you_mean" } : null,
    refinement_chips: null,
    item_types: types,
    se_results_count: v.int("results", 10_000, 900_000_000),
    pages_count: Math.ceil(Number(task.depth ?? 10) / 10),
    items_count: items.length,
    items: withRectangles(task, items),
  };
}

export const seoSerp = live("/v3/serp/google/organic/live/advanced", (task, request) =>
  search(task, request.empty),
);
