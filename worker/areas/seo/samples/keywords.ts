import type { SampleRequest } from "../../../sandbox/sample.ts";
import { type SampleTask, live, page } from "../../../sandbox/dataforseo-live.ts";
import { moment, words } from "../../../sandbox/figures.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

const at = (name: string) => `/v3/dataforseo_labs/google/${name}/live`;
const found = { default: 46 };
const intents = ["informational", "navigational", "commercial", "transactional"];
const levels = ["LOW", "MEDIUM", "HIGH"];

/** An average of 32-bit floats, with their noise. */
const noisy = (v: Vary, name: string, most: number) => Math.fround(v.int(name, 1, most * 10) / 10);

function months(v: Vary, least: number) {
  return Array.from({ length: 12 }, (_, back) => ({
    year: back < 6 ? 2026 : 2025,
    month: back < 6 ? 6 - back : 18 - back,
    search_volume: least + v.int(`month ${back}`, 0, 900),
  }));
}

function keywordInfo(v: Vary) {
  const volume = v.int("volume", 10, 90_000);
  return {
    se_type: "google",
    last_updated_time: moment(v, "updated", 2026),
    competition: Math.fround(v.int("competition", 1, 99) / 100),
    competition_level: v.pick("level", levels),
    cpc: v.int("cpc", 5, 900) / 100,
    search_volume: volume,
    low_top_of_page_bid: v.int("low bid", 5, 300) / 100,
    high_top_of_page_bid: v.int("high bid", 300, 1900) / 100,
    categories: [v.int("category", 10_001, 10_999), v.int("other category", 11_000, 13_999)],
    monthly_searches: months(v, volume),
    search_volume_trend: {
      monthly: v.int("monthly", -40, 60),
      quarterly: v.int("quarterly", -40, 60),
      yearly: v.int("yearly", -40, 60),
    },
  };
}

/** A keyword with its figures; rare ones have blocks of null. */
export function keywordData(keyword: string, index: number, withSerp: boolean) {
  const v = vary("keyword", keyword);
  const rare = index % 7 === 5;
  return {
    se_type: "google",
    keyword,
    location_code: 2840,
    language_code: "en",
    keyword_info: rare ? null : keywordInfo(v),
    clickstream_keyword_info: null,
    keyword_properties: {
      se_type: "google",
      core_keyword: index % 3 === 0 ? `${keyword} core` : null,
      synonym_clustering_algorithm: "text_processing",
      keyword_difficulty: rare ? null : v.int("difficulty", 0, 99),
      detected_language: "en",
      is_another_language: index % 5 === 4,
      words_count: keyword.split(" ").length,
    },
    serp_info: withSerp
      ? {
          se_type: "google",
          check_url: `https://search.example/search?q=${encodeURIComponent(keyword)}`,
          serp_item_types: ["organic", v.pick("type", ["images", "video", "people_also_ask"])],
          se_results_count: v.int("results", 1000, 9_000_000_000),
          last_updated_time: moment(v, "serp", 2026),
          previous_updated_time: moment(v, "serp before", 2025),
        }
      : null,
    avg_backlinks_info: rare
      ? null
      : {
          se_type: "google",
          backlinks: noisy(v, "links", 4000),
          dofollow: noisy(v, "dofollow", 2000),
          referring_pages: noisy(v, "pages", 3000),
          referring_domains: noisy(v, "domains", 900),
          referring_main_domains: noisy(v, "main domains", 800),
          rank: noisy(v, "rank", 500),
          main_domain_rank: noisy(v, "main rank", 900),
          last_updated_time: moment(v, "backlinks", 2026),
        },
    search_intent_info: rare
      ? null
      : {
          se_type: "google",
          main_intent: v.pick("intent", intents),
          foreign_intent:
            index % 2 === 0 ? [v.pick("other intent", intents), "transactional"] : null,
          last_updated_time: moment(v, "intent", 2025),
        },
    keyword_info_normalized_with_bing: null,
    keyword_info_normalized_with_clickstream: null,
  };
}

export const numberedKeyword = (seed: string, index: number) =>
  `${vary("numbered", seed, index).pick("word", words)} ${seed.split(",")[0]} ${index + 1}`;

const withSerp = (task: SampleTask) => task.include_serp_info === true;
const decoded = (keyword: unknown) => decodeURIComponent(String(keyword));

/** Keywords related to a task's subject. */
function list(name: string, key: "keyword" | "keywords" | "target", nested = false) {
  return live(at(name), (task, request) => {
    const seed = key === "target" ? String(task.target) : decoded(task[key]).toLowerCase();
    const rows = page(task, request, found, (index) => {
      const data = keywordData(numberedKeyword(seed, index), index, withSerp(task));
      if (!nested) return data;
      const related = [0, 1, 2].map((at) => numberedKeyword(seed, index + at + 1));
      return {
        se_type: "google",
        keyword_data: data,
        depth: Math.min(1 + (index % 4), Number(task.depth ?? 1)),
        related_keywords: index % 6 === 4 ? null : related,
      };
    });
    return {
      se_type: "google",
      ...(key === "keyword"
        ? {
            seed_keyword: seed,
            seed_keyword_data: task.include_seed_keyword
              ? keywordData(seed, 0, withSerp(task))
              : null,
          }
        : {}),
      ...(key === "keywords" ? { seed_keywords: task.keywords } : {}),
      location_code: 2840,
      language_code: "en",
      ...rows,
      ...(nested ? {} : { offset_token: `sample-token-${Number(task.offset ?? 0)}` }),
    };
  });
}

/** Answers in lower case and in another order than requested; keywords that begin with "trail" are unknown. */
function perKeyword(name: string, row: (v: Vary, keyword: string, index: number) => object) {
  return live(at(name), (task, request: SampleRequest) => {
    const asked = ((task.keywords ?? []) as string[]).map((keyword) =>
      decoded(keyword).toLowerCase(),
    );
    const items = asked
      .filter((keyword) => !request.empty && !keyword.startsWith("trail"))
      .map((keyword, index) => ({
        se_type: "google",
        keyword,
        ...row(vary(name, keyword), keyword, index),
      }))
      .reverse();
    return { se_type: "google", items_count: items.length, items };
  });
}

export const seoKeywords = {
  ...live(at("keyword_overview"), (task, request) => {
    const asked = ((task.keywords ?? []) as string[]).map((keyword) =>
      decoded(keyword).toLowerCase(),
    );
    const items = asked
      .filter((keyword) => !request.empty && !keyword.startsWith("trail"))
      .map((keyword, index) => keywordData(keyword, index, withSerp(task)))
      .reverse();
    return { se_type: "google", items_count: items.length, items };
  }),
  ...perKeyword("historical_keyword_data", (v) => ({
    location_code: 2840,
    language_code: "en",
    // Newest first.
    history: [3, 2, 1].map((month) => ({
      year: 2026,
      month,
      keyword_info: keywordInfo(vary("history", v.token("seed", 8), month)),
    })),
  })),
  ...perKeyword("bulk_keyword_difficulty", (v, _keyword, index) => ({
    keyword_difficulty: index % 4 === 3 ? null : v.int("difficulty", 0, 99),
  })),
  ...perKeyword("search_intent", (v, _keyword, index) => ({
    keyword_intent: { label: v.pick("intent", intents), probability: v.int("share", 40, 99) / 100 },
    secondary_keyword_intents:
      index % 2 === 1
        ? null
        : [{ label: v.pick("second", intents), probability: v.int("second share", 1, 39) / 100 }],
  })),
  ...list("keyword_ideas", "keywords"),
  ...list("keyword_suggestions", "keyword"),
  ...list("related_keywords", "keyword", true),
  ...list("keywords_for_site", "target"),
  ...live("/v3/serp/google/autocomplete/live/advanced", (task, request) => {
    const typed = decoded(task.keyword);
    const items = Array.from({ length: 10 }, (_, index) => {
      const v = vary("autocomplete", typed, index);
      const text = `${typed}${v.pick("word", words)} ${index + 1}`;
      return {
        type: "autocomplete",
        rank_group: index + 1,
        rank_absolute: index + 1,
        relevance: index % 3 === 0 ? v.int("relevance", 500, 1300) : null,
        suggestion: text,
        suggestion_type: index % 4 === 0 ? v.pick("type", ["query", "entity", "navigation"]) : null,
        search_query_url: `https://search.example/search?q=${encodeURIComponent(text)}`,
        thumbnail_url: index % 5 === 0 ? `https://images.example/${index}.jpg` : null,
        highlighted: index % 2 === 0 ? [v.pick("highlight", words)] : null,
      };
    });
    return {
      keyword: typed,
      type: "autocomplete",
      se_domain: "search.example",
      location_code: 2840,
      language_code: "en",
      check_url: `https://search.example/search?q=${encodeURIComponent(typed)}`,
      datetime: moment(vary("autocomplete", typed), "seen", 2026),
      spell: null,
      refinement_chips: null,
      item_types: ["autocomplete"],
      se_results_count: 0,
      items_count: items.length,
      items: request.empty ? [] : items,
    };
  }),
};
