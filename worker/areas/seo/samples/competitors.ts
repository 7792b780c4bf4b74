import type { SampleRequest } from "../../../sandbox/sample.ts";
import { type SampleTask, live, page } from "../../../sandbox/dataforseo-live.ts";
import { keywordData, numberedKeyword } from "./keywords.ts";
import { moment, site, words } from "../../../sandbox/figures.ts";
import { serpElements } from "./serp.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

const at = (name: string) => `/v3/dataforseo_labs/google/${name}/live`;
const found = { default: 46 };

const places = [
  "pos_1",
  "pos_2_3",
  "pos_4_10",
  "pos_11_20",
  "pos_21_30",
  "pos_31_40",
  "pos_41_50",
  "pos_51_60",
  "pos_61_70",
  "pos_71_80",
  "pos_81_90",
  "pos_91_100",
];

function rankMetrics(v: Vary) {
  return {
    ...Object.fromEntries(places.map((place) => [place, v.int(place, 0, 300)])),
    etv: v.int("etv", 0, 900_000) / 8,
    impressions_etv: 0,
    count: v.int("count", 1, 5000),
    estimated_paid_traffic_cost: v.int("cost", 0, 90_000) / 8,
    is_new: v.int("new", 0, 400),
    is_up: v.int("up", 0, 400),
    is_down: v.int("down", 0, 400),
    is_lost: v.int("lost", 0, 90),
    clickstream_etv: null,
  };
}

/** Every second record has no adverts; a kind without figures is null. */
function metrics(name: string, index: number) {
  return {
    organic: rankMetrics(vary(name, "organic")),
    paid: index % 2 === 0 ? rankMetrics(vary(name, "paid")) : null,
    featured_snippet: rankMetrics(vary(name, "featured_snippet")),
    local_pack: index % 3 === 0 ? rankMetrics(vary(name, "local_pack")) : null,
  };
}

/** A list about a target. */
function about(
  name: string,
  row: (task: SampleTask, index: number) => unknown,
  beside: (task: SampleTask) => object = () => ({}),
) {
  return live(at(name), (task, request) => ({
    se_type: "google",
    target: task.target,
    location_code: 2840,
    language_code: "en",
    ...beside(task),
    ...page(task, request, found, (index) => row(task, index)),
  }));
}

const elementTypes = ["organic", "local_pack", "organic", "paid"];

/** The element with which a domain ranks for a keyword. */
function ranked(v: Vary, domain: string, index: number) {
  const path = `/${v.pick("path", words)}-${index}`;
  const type = elementTypes[index % elementTypes.length] as string;
  const pack = type === "local_pack";
  return {
    se_type: "google",
    type,
    rank_group: v.int("group", 1, 40),
    rank_absolute: v.int("rank", 1, 60),
    position: "left",
    xpath: "/html[1]/body[1]/div[1]",
    domain,
    title: `${v.pick("title", words)} explained`,
    url: `https://${domain}${path}`,
    breadcrumb: `https://${domain} > ${v.pick("crumb", words)}`,
    website_name: index % 2 === 0 ? v.pick("name", words) : null,
    is_image: false,
    is_paid: type === "paid",
    description: `All about ${v.pick("description", words)}`,
    ...(pack
      ? {
          phone: `+1 555-0${v.int("phone", 100, 199)}`,
          address: `${v.int("number", 1, 200)} ${v.pick("street", words)} Street`,
          category: `${v.pick("category", words)} store`,
          latitude: v.int("latitude", -800_000, 800_000) / 10_000,
          longitude: v.int("longitude", -1_700_000, 1_700_000) / 10_000,
          image_url: `https://images.example/${v.digits("image", 8)}.jpg`,
          items: [{ type: "local_pack_element", title: `${v.pick("branch", words)} branch` }],
          rating: {
            rating_type: "Max5",
            value: v.int("stars", 10, 50) / 10,
            votes_count: v.int("votes", 1, 900),
            rating_max: 5,
          },
        }
      : { rating: null }),
    highlighted: [v.pick("highlight", words)],
    links: null,
    main_domain: domain,
    relative_url: path,
    etv: Math.fround(v.int("etv", 1, 9000) / 10),
    impressions_etv: null,
    estimated_paid_traffic_cost: Math.fround(v.int("cost", 1, 900) / 10),
    clickstream_etv: null,
    rank_changes: {
      previous_rank_absolute: v.int("before", 1, 60),
      is_new: false,
      is_up: true,
      is_down: false,
    },
    backlinks_info: {
      referring_domains: v.int("domains", 1, 90),
      backlinks: v.int("links", 90, 900),
    },
    rank_info: { page_rank: v.int("page rank", 0, 400), main_domain_rank: v.int("main", 0, 700) },
  };
}

const target = (task: SampleTask) =>
  String(task.target)
    .replace(/^https?:\/\//, "")
    .replace(/\/.*$/, "");

function intersection(task: SampleTask, index: number) {
  const [first, second] = [String(task.target_1), String(task.target_2)];
  const keyword = numberedKeyword(`${first} ${second}`, index);
  return {
    se_type: "google",
    keyword_data: keywordData(keyword, index, task.include_serp_info === true),
    first_domain_serp_element: ranked(vary("first", first, index), first, index),
    second_domain_serp_element:
      task.intersections === false
        ? null
        : ranked(vary("second", second, index), second, index + 1),
  };
}

function pagesIntersection(task: SampleTask, index: number) {
  const pages = Object.entries((task.pages ?? {}) as Record<string, string>);
  const keyword = numberedKeyword(
    JSON.stringify(task.pages).replaceAll(/\W/g, "").slice(0, 8),
    index,
  );
  const members = pages.map(([number, address], at) => {
    const domain = new URL(address.replace(/\*$/, "")).hostname;
    const missing = task.intersection_mode === "union" && (index + at) % 3 === 2;
    return [number, missing ? null : ranked(vary("page", address, index), domain, index)];
  });
  return {
    se_type: "google",
    keyword_data: keywordData(keyword, index, task.include_serp_info === true),
    intersection_result: Object.fromEntries(members) as unknown,
  };
}

function months(task: SampleTask): { year: number; month: number }[] {
  const day = (value: unknown, fallback: string) => (typeof value === "string" ? value : fallback);
  const [from, to] = [day(task.date_from, "2026-01-01"), day(task.date_to, "2026-06-30")];
  const first = Number(from.slice(0, 4)) * 12 + Number(from.slice(5, 7)) - 1;
  const last = Number(to.slice(0, 4)) * 12 + Number(to.slice(5, 7)) - 1;
  const length = Math.max(0, Math.min(24, last - first + 1));
  return Array.from({ length }, (_, back) => ({
    year: Math.floor((last - back) / 12),
    month: ((last - back) % 12) + 1,
  }));
}

/** Answers for many targets, in another order than requested; hosts that begin with "blog." are unknown. */
function bulk(name: string, row: (task: SampleTask, target: string) => unknown) {
  return live(at(name), (task, request) => {
    const items = ((task.targets ?? []) as string[])
      .filter((one) => !request.empty && !one.startsWith("blog."))
      .map((one) => ({ se_type: "google", target: one, metrics: row(task, one) }))
      .reverse();
    return { se_type: "google", total_count: items.length, items_count: items.length, items };
  });
}

const kinds = (task: SampleTask) => (task.item_types ?? ["organic", "paid"]) as string[];
const visits = (v: Vary) => ({ etv: v.int("etv", 0, 90_000) / 8, count: v.int("count", 0, 900) });

function historicalSerps(task: SampleTask, request: SampleRequest) {
  const keyword = decodeURIComponent(String(task.keyword));
  const items = [3, 2, 1].map((month) => {
    const v = vary("historical", keyword, month);
    // The elements vary by month.
    const elements = serpElements(`${keyword} ${month}`, 4, { withAnswer: false });
    return {
      se_type: "google",
      keyword,
      type: "organic",
      se_domain: "search.example",
      location_code: 2840,
      language_code: "en",
      check_url: `https://search.example/search?q=${encodeURIComponent(keyword)}`,
      datetime: moment(v, "seen", 2026),
      spell: null,
      item_types: ["organic", "paid", "people_also_ask"],
      se_results_count: v.int("results", 1000, 9_000_000),
      items_count: elements.length,
      items: elements,
    };
  });
  return {
    se_type: "google",
    keyword,
    total_count: request.empty ? 0 : items.length,
    items_count: request.empty ? 0 : items.length,
    items: request.empty ? null : items,
  };
}

export const seoCompetitors = {
  ...about("competitors_domain", (task, index) => {
    const v = vary("competitor", String(task.target), index);
    const domain = site(v, index);
    return {
      se_type: "google",
      domain,
      avg_position: v.int("average", 10, 900) / 10,
      sum_position: v.int("sum", 10, 40_000),
      intersections: v.int("shared", 1, 4000),
      full_domain_metrics: metrics(`${domain} full`, index),
      metrics: metrics(`${domain} shared`, index),
      competitor_metrics: metrics(`${domain} own`, index),
    };
  }),
  ...live(at("serp_competitors"), (task, request) => {
    const keywords = (task.keywords ?? []) as string[];
    return {
      se_type: "google",
      seed_keywords: keywords,
      ...page(task, request, found, (index) => {
        const v = vary("serp competitor", keywords.join(), index);
        return {
          se_type: "google",
          domain: site(v, index),
          avg_position: v.int("average", 10, 400) / 10,
          median_position: v.int("median", 2, 80) / 2,
          rating: v.int("rating", 1, 200),
          etv: v.int("etv", 0, 9000) / 8,
          keywords_count: keywords.length,
          visibility: v.int("visibility", 1, 99) / 100,
          relevant_serp_items: v.int("relevant", 1, 9),
          keywords_positions: Object.fromEntries(
            keywords.map((keyword) => [
              keyword,
              [v.int(keyword, 1, 20), v.int(`${keyword}2`, 21, 90)],
            ]),
          ),
        };
      }),
    };
  }),
  ...about(
    "ranked_keywords",
    (task, index) => {
      const v = vary("ranked", target(task), index);
      const keyword = numberedKeyword(target(task), index);
      return {
        se_type: "google",
        keyword_data: keywordData(keyword, index, index % 2 === 0),
        ranked_serp_element: {
          se_type: "google",
          serp_item: ranked(v, target(task), index),
          check_url: `https://search.example/search?q=${encodeURIComponent(keyword)}&seen`,
          serp_item_types: ["organic", "images"],
          se_results_count: v.int("results", 1000, 90_000_000),
          keyword_difficulty: 39,
          is_lost: task.historical_serp_mode === "lost",
          last_updated_time: moment(v, "seen", 2026),
          previous_updated_time: moment(v, "seen before", 2025),
        },
      };
    },
    (task) => ({
      metrics: metrics(`${target(task)} all`, 0),
      metrics_absolute: task.load_rank_absolute ? metrics(`${target(task)} absolute`, 0) : null,
    }),
  ),
  ...about("relevant_pages", (task, index) => ({
    se_type: "google",
    page_address: `https://${String(task.target)}/${vary("page", index).pick("path", words)}-${index}`,
    metrics: metrics(`page ${String(task.target)} ${index}`, index),
  })),
  ...about("subdomains", (task, index) => ({
    se_type: "google",
    subdomain: `${vary("subdomain", index).pick("name", words)}-${index}.${String(task.target)}`,
    metrics: metrics(`subdomain ${String(task.target)} ${index}`, index),
  })),
  ...live(at("domain_intersection"), (task, request) => ({
    se_type: "google",
    target_1: task.target_1,
    target_2: task.target_2,
    ...page(task, request, found, (index) => intersection(task, index)),
  })),
  ...live(at("page_intersection"), (task, request) => ({
    se_type: "google",
    pages: task.pages,
    ...page(task, request, found, (index) => pagesIntersection(task, index)),
  })),
  ...live(at("domain_rank_overview"), (task, request) => ({
    se_type: "google",
    target: task.target,
    location_code: 2840,
    language_code: "en",
    ...page(task, request, { default: 2 }, (index) => ({
      se_type: "google",
      location_code: 2840 + index,
      language_code: "en",
      metrics: metrics(`overview ${String(task.target)} ${index}`, 0),
    })),
  })),
  ...live(at("historical_rank_overview"), (task, request) => {
    const items = months(task).map((month) => ({
      se_type: "google",
      ...month,
      metrics: metrics(`month ${String(task.target)} ${month.year} ${month.month}`, month.month),
    }));
    return {
      se_type: "google",
      target: task.target,
      total_count: items.length,
      items_count: items.length,
      items: request.empty ? null : items,
    };
  }),
  ...live(at("historical_serps"), historicalSerps),
  ...bulk("bulk_traffic_estimation", (task, one) =>
    Object.fromEntries(kinds(task).map((kind) => [kind, visits(vary("traffic", one, kind))])),
  ),
  ...bulk("historical_bulk_traffic_estimation", (task, one) =>
    Object.fromEntries(
      kinds(task).map((kind) => [
        kind,
        months(task).map(({ year, month }) => ({
          year,
          month,
          ...visits(vary("traffic", one, kind, year, month)),
        })),
      ]),
    ),
  ),
};
