import { expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { fieldPaths } from "../operations/schema.ts";

/**
 * Promised names that users of such services know: every row is one promise. `input` are fields of
 * the request, `output` fields of `data`; a leading `!` means that the field is absent.
 */
type Promised = readonly [of: string | RegExp, names: { input?: string; output?: string }];

const all = [...operations.values()];
const bulk = /^seo\.backlinks\.bulk_/;
const profile = (at: string) =>
  [
    ...["tld", "types", "attributes", "platform_types", "semantic_locations", "countries"].map(
      (name) => `${at}referring_links_${name}`,
    ),
    ...["backlinks_spam_score", "first_seen", "lost_date"].map((name) => `${at}${name}`),
  ].join(" ");
const ranking = (at: string) =>
  ["rank_group", "rank_absolute", "position", "domain", "title", "url", "etv"]
    .concat("estimated_paid_traffic_cost")
    .map((name) => `${at}${name}`)
    .join(" ");
const keyword =
  "results[].search_intent results[].search_intent_alternatives[] results[].serp_item_types[] results[].serp_results_count results[].last_updated_at";
const place = /^(events|local|maps|news)\.search$/;

const promises: readonly Promised[] = [
  // All seo
  [/^seo\.(backlinks|competitors|keywords)\..*$/, { input: "!sort" }],
  ["seo.backlinks.summary", { input: "view", output: "target view" }],
  ["seo.backlinks.history", { input: "view", output: "target view series[].date" }],
  ["seo.backlinks.bulk_pages_summary", { input: "view", output: "view results[].target" }],
  ["seo.competitors.bulk_traffic", { input: "view", output: "location language view" }],
  [/^seo\.keywords\.(difficulty|history|overview)$/, { output: "keywords[] location language" }],
  ["seo.keywords.intent", { output: "keywords[] language" }],
  ["seo.keywords.overview", { input: "view", output: "view" }],
  [bulk, { input: "targets", output: "results[].target missing_targets[] unprocessed_targets[]" }],
  // Backlinks
  [
    /^seo\.backlinks\.(list|anchors|referring_domains|referring_networks|domain_intersection)$/,
    { input: "backlinks_status_type include_indirect_links" },
  ],
  ["seo.backlinks.referring_networks", { input: "network_address_type" }],
  [/^seo\.backlinks\.timeseries/, { input: "group_range", output: "series[].date" }],
  ["seo.backlinks.summary", { output: profile("") }],
  [
    /^seo\.backlinks\.(anchors|referring_domains|domain_pages_summary)$/,
    { output: profile("results[].") },
  ],
  [
    "seo.backlinks.list",
    {
      output:
        "results[].backlink_spam_score results[].item_type results[].domain_from_platform_type results[].first_seen results[].last_seen results[].prev_seen",
    },
  ],
  ["seo.backlinks.competitors", { input: "view", output: "target view results[].target" }],
  [
    "seo.backlinks.domain_intersection",
    {
      output:
        "results[].domain results[].intersections_count results[].referring_to[].target results[].referring_to[].metrics",
    },
  ],
  [
    "seo.backlinks.page_intersection",
    {
      output:
        "results[].url_from results[].domain_from results[].intersections_count results[].links_to[].target results[].links_to[].links[]",
    },
  ],
  ["seo.backlinks.domain_pages", { output: "results[].fetch_time results[].title" }],
  // Competitors
  ["seo.competitors.domain_intersection", { input: "target1 target2", output: "target1 target2" }],
  ["seo.competitors.ranked_keywords", { output: ranking("results[].") }],
  [
    "seo.competitors.domain_intersection",
    { output: `${ranking("results[].first_domain.")} ${ranking("results[].second_domain.")}` },
  ],
  ["seo.competitors.page_intersection", { output: ranking("results[].page_rankings[].") }],
  ["seo.competitors.relevant_pages", { output: "results[].page_address" }],
  [
    /^seo\.competitors\.(domain_rank_overview|historical_rank_overview)$/,
    { output: "results[].organic results[].paid" },
  ],
  [
    "seo.competitors.historical_bulk_traffic",
    { output: "results[].organic[].etv results[].paid[].etv !results[].metrics" },
  ],
  ["seo.competitors.historical_serps", { output: "results[].items_count" }],
  // Keywords
  [/^seo\.keywords\.(overview|ideas|suggestions|for_site)$/, { output: keyword }],
  [
    "seo.keywords.intent",
    {
      output:
        "results[].keyword results[].search_intent results[].probability results[].secondary_intents[].intent results[].secondary_intents[].probability",
    },
  ],
  ["seo.keywords.ideas", { output: "seed_keywords[]" }],
  [/^seo\.keywords\.(suggestions|related)$/, { output: "seed_keyword" }],
  [
    "seo.keywords.autocomplete",
    { input: "cursor_pointer", output: "results[].search_query_url results[].thumbnail_url" },
  ],
  // The organic result page
  [
    "seo.serp.search",
    {
      input:
        "include_ai_overview people_also_ask_depth os include_omitted_results stop_at_target target_match target_search_mode target_element_types",
      output:
        "questions[].question questions[].rank questions[].source serp_features[] summary.organic_results summary.billable_results summary.rich_results summary.paid_results summary.feature_counts summary.target_present summary.target_best_rank page rank_window.page rank_window.depth rank_window.start_rank rank_window.end_rank",
    },
  ],
  // Generated answers
  [
    "geo.serp",
    { input: "target device view", output: "query location language device surface view" },
  ],
  ["geo.serp", { output: "serp_features[] results[].type" }],
  ["geo.mentions.cross_aggregated_metrics", { input: "groups" }],
  [
    "geo.mentions.search",
    { input: "target engine filters order_by limit cursor view", output: "engine view" },
  ],
  [
    /^geo\.mentions\.top_(domains|pages)$/,
    {
      input: "links_scope items_list_limit internal_list_limit",
      output: "totals results[].key results[].mentions results[].breakdown",
    },
  ],
  // Search pages
  [place, { input: "os" }],
  ["events.search", { input: "date_range coordinate" }],
  ["local.search", { input: "time_filter coordinate" }],
  // Hotels
  ["hotels.search", { input: "is_vacation_rentals" }],
  [
    "hotels.search",
    {
      output:
        "results[].hotel_identifier results[].location.latitude results[].location.longitude results[].reviews.rating results[].reviews.votes_count results[].reviews.rating_distribution results[].prices.price results[].prices.price_without_discount results[].prices.currency results[].prices.discount_text results[].overview_images[]",
    },
  ],
  [
    "hotels.info",
    {
      input: "hotel_identifier",
      output:
        "prices.prices_by_dates[].check_in_date prices.prices_by_dates[].check_out_date about.description about.full_address about.url about.domain about.check_in_time about.check_out_time about.amenities[] place.neighborhood place.neighborhood_description place.maps_url place.overall_score place.score_by_categories place.latitude place.longitude",
    },
  ],
  // Microblog
  ["microblog.posts.translation", { input: "language" }],
  ["microblog.users.profile_translation", { input: "language" }],
  ["microblog.autocomplete", { output: "query users[] topics[] hashtags[] cashtags[]" }],
  // Others
  ["videosite.channels.get", { output: "title" }],
  ["videosite.videos.get", { output: "channel_id author" }],
  [/^forum\.(communities|posts)\.get$/, { output: "is_nsfw" }],
  [
    "professional_network.posts.get",
    { output: "share_count reactions[].type reactions[].count author.headline" },
  ],
  ["photosite.posts.get", { output: "media_id accessibility_caption play_count" }],
  ["photosite.locations.posts", { input: "tab" }],
  ["shortclip.hashtags.get", { output: "video_count" }],
];

test.each(promises)("%s %j", (of, { input = "", output = "" }) => {
  const found = all.filter(({ id }) => (typeof of === "string" ? id === of : of.test(id)));
  expect(found.length, "operations of that name").toBeGreaterThan(0);
  for (const op of found) {
    const fields = { input: new Set(Object.keys(op.input.shape)), output: fieldPaths(op) };
    for (const [kind, names] of Object.entries({ input, output })) {
      for (const name of names.split(" ").filter((word) => word !== "")) {
        const known = [...fields[kind as keyof typeof fields]];
        const fieldName = name.replace(/^!|\[\]$/g, "");
        const isThere = known.some(
          (field) => field === fieldName || field.startsWith(`${fieldName}.`),
        );
        expect(isThere, `${op.id} ${kind} ${fieldName}`).toBe(!name.startsWith("!"));
      }
    }
  }
});

test("a list of the seo area is shaped, filtered and continued the same way everywhere", () => {
  // One row for each location and language, so there is nothing to choose from.
  const overview = "seo.competitors.domain_rank_overview";
  const lists = all.filter(
    ({ id, area, paginated }) => area === "seo" && paginated && id !== overview,
  );
  expect(lists.length).toBe(20);
  for (const { id, input, data } of lists) {
    const inputNames = Object.keys(input.shape);
    const answerFields = Object.keys((data as unknown as { shape: object }).shape);
    const required = ["filters", "order_by", "view", "offset", "cursor", "limit"];
    expect(
      required.filter((name) => !inputNames.includes(name)),
      id,
    ).toEqual([]);
    expect(
      ["view", "total_count", "results"].filter((name) => !answerFields.includes(name)),
      id,
    ).toEqual([]);
    if (!id.startsWith("seo.backlinks.")) expect(answerFields, id).toContain("location");
  }
});

test("a hotel search returns ten where the caller gives no limit", () => {
  const { input, example } = operations.get("hotels.search") as (typeof all)[number];
  const { limit: _limit, ...given } = example as { limit?: number };
  expect(input.parse(given)).toMatchObject({ limit: 10 });
});
