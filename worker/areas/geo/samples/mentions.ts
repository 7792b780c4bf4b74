import type { SampleRequest } from "../../../sandbox/sample.ts";
import { type SampleTask, live, page } from "../../../sandbox/dataforseo-live.ts";
import { moment, site, words } from "../../../sandbox/figures.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

const at = (name: string) => `/v3/ai_optimization/llm_mentions/${name}/live`;

interface Group {
  key: string;
  mentions: number | null;
  ai_search_volume: number | null;
}

function groups(v: Vary, name: string, keys: readonly string[], task: SampleTask): Group[] {
  const most = Number(task.internal_list_limit ?? 10);
  return keys.slice(0, most).map((key) => ({
    key,
    mentions: v.int(`${name} mentions ${key}`, 1, 900),
    ai_search_volume: v.int(`${name} volume ${key}`, 100, 90_000),
  }));
}

const codeOf = (value: unknown, fallback: string | number) =>
  String(typeof value === "number" || typeof value === "string" ? value : fallback);

const brands = ["Lantern & Co", "Harbour Works", "Saffron Studio"];
const categories = ["Software", "Home & Garden"];

/** Breakdowns of mentions; figures of assistants only are null or empty for other engines. */
function breakdowns(v: Vary, task: SampleTask, isEmpty = false) {
  const assistant = task.platform === "chat_gpt";
  const domains = [0, 1, 2, 3, 4].map((index) => site(vary(v.digits("site", 9), index), index));
  const found = {
    location: groups(v, "location", [codeOf(task.location_code, 2840)], task),
    language: groups(v, "language", [codeOf(task.language_code, "en")], task),
    platform: groups(v, "platform", [String(task.platform)], task),
    sources_domain: groups(v, "sources", domains, task),
    search_results_domain: assistant ? groups(v, "found", domains.slice(1), task) : [],
    brand_entities_title: assistant ? groups(v, "brands", brands, task) : null,
    brand_entities_category: assistant ? groups(v, "categories", categories, task) : null,
  };
  const { mentions, ai_search_volume } = found.platform[0] as Group;
  const none = { location: null, language: null, platform: [], sources_domain: null };
  return isEmpty
    ? { ...none, total: { mentions: 0, ai_search_volume: null } }
    : { ...found, total: { mentions, ai_search_volume } };
}

/** The list is empty and its count 0, although the figures are present. */
function targetMetrics(task: SampleTask, request: SampleRequest) {
  const v = vary("mentions", JSON.stringify(task.target), String(task.platform));
  const aggregated = breakdowns(v, task, request.empty);
  return { total_count: 0, items_count: 0, aggregated_metrics: aggregated, items: [] };
}

function multiTargetMetrics(task: SampleTask, request: SampleRequest) {
  const targets = (task.targets ?? []) as { key: string }[];
  const v = vary("compared", JSON.stringify(targets), String(task.platform));
  const items = targets.map(({ key }) => ({
    key,
    ...breakdowns(vary("compared", key, String(task.platform)), task),
  }));
  // The order differs from the request's.
  items.reverse();
  return {
    total_count: items.length,
    items_count: items.length,
    aggregated_metrics: breakdowns(v, task, request.empty),
    items: request.empty ? null : items,
  };
}

function top(kind: "domain" | "page") {
  return (task: SampleTask, request: SampleRequest) => {
    const seed = [JSON.stringify(task.target), String(task.platform), String(task.links_scope)];
    const count = request.empty ? 0 : Math.min(Number(task.limit ?? 100), 24);
    const items = Array.from({ length: count }, (_, index) => {
      const v = vary("top", ...seed, index);
      const domain = site(v, index);
      const key = kind === "domain" ? domain : `https://${domain}/${v.pick("path", words)}`;
      return { [kind]: key, ...breakdowns(v, task) };
    });
    return {
      total_count: request.empty ? 0 : 24,
      offset: 0,
      items_count: items.length,
      aggregated_metrics: breakdowns(vary("top", ...seed), task, request.empty),
      items,
    };
  };
}

const months = (v: Vary, figure: string) =>
  [6, 5, 4].map((month) => ({ year: 2026, month, [figure]: v.int(`month ${month}`, 10, 9000) }));

function mention(task: SampleTask, index: number) {
  const v = vary("mention", JSON.stringify(task.target), String(task.platform), index);
  const assistant = task.platform === "chat_gpt";
  const bare = index % 4 === 3;
  const subject = v.pick("subject", words);
  const source = (rank: number) => {
    const domain = site(vary("mention", index, rank), rank);
    return {
      rank,
      title: `All about ${v.pick(`title ${rank}`, words)}`,
      domain,
      url: `https://${domain}/${subject}-${index}`,
      publication_date: rank === 1 ? moment(v, "published", 2026) : null,
    };
  };
  return {
    platform: task.platform,
    model_name: assistant ? "sample-assistant-1" : "google_ai_overview",
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    question: `what is the best ${subject} for ${v.pick("purpose", words)} number ${index + 1}`,
    answer: `A **${subject}** is often recommended. [1]`,
    sources: bare
      ? null
      : [1, 2].map((rank) => ({
          ...source(rank),
          snippet: rank === 1 ? `Why a ${subject} matters` : null,
          source_name: rank === 1 ? "Sample Weekly" : null,
          thumbnail: rank === 1 ? `https://images.example/${subject}.webp` : null,
          markdown: rank === 2 ? `[${subject}](https://images.example/${subject})` : null,
        })),
    search_results: assistant
      ? [{ ...source(1), description: `Results on ${subject}`, breadcrumb: `https > ${subject}` }]
      : null,
    ai_search_volume: bare ? null : v.int("volume", 10, 5000),
    monthly_searches: bare ? null : months(v, "search_volume"),
    first_response_at: moment(v, "first", 2025),
    last_response_at: moment(v, "last", 2026),
    brand_entities: assistant
      ? [{ rank: 1, title: v.pick("brand", brands), category: v.pick("category", categories) }]
      : null,
    fan_out_queries: assistant ? [`${subject} reviews`, `${subject} prices`] : null,
    is_web_search_based: assistant ? index % 2 === 0 : null,
  };
}

function mentions(task: SampleTask, request: SampleRequest) {
  const { search_after_token: token, ...rest } = task;
  const skipped = typeof token === "string" ? Number(token.split("-")[1]) : task.offset;
  const asked = { ...rest, offset: skipped };
  const list = page(asked, request, { default: 46 }, (index) => mention(task, index));
  const next = Number(skipped ?? 0) + list.items_count;
  return { ...list, offset: Number(skipped ?? 0), search_after_token: `sample-${next}` };
}

/** A keyword that begins with "zzz" is unknown and left out. */
function searchVolume(task: SampleTask, request: SampleRequest) {
  const keywords = (task.keywords ?? []) as string[];
  const items = keywords
    .filter((keyword) => !keyword.toLowerCase().startsWith("zzz"))
    .map((keyword, index) => {
      const v = vary("ai volume", keyword);
      const rare = index % 4 === 3;
      return {
        keyword: decodeURIComponent(keyword.toLowerCase()),
        ai_search_volume: rare ? null : v.int("month 6", 10, 9000),
        ai_monthly_searches: rare ? null : months(v, "ai_search_volume"),
      };
    });
  const found = request.empty ? [] : items;
  return {
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    items_count: found.length,
    items: found,
  };
}

/** AI keyword data and mentions in generated answers. */
export const geoMentions = {
  ...live("/v3/ai_optimization/ai_keyword_data/keywords_search_volume/live", searchVolume),
  ...live(at("target_metrics"), targetMetrics),
  ...live(at("multi_target_metrics"), multiTargetMetrics),
  ...live(at("search_mentions"), mentions),
  ...live(at("top_mentioned_domains"), top("domain")),
  ...live(at("top_mentioned_pages"), top("page")),
};
