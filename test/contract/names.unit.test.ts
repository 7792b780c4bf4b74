import { expect, test } from "vitest";
import { operations } from "../../contract/index.ts";
import { fieldPaths } from "../operations/schema.ts";

/**
 * Promised names that users of such services know: every row is one promise. `asks` are fields of
 * the request, `tells` fields of `data`; a leading `!` means that the field is absent.
 */
type Promised = readonly [of: string | RegExp, names: { asks?: string; tells?: string }];

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
  [/^seo\.(backlinks|competitors|keywords)\..*$/, { asks: "!sort" }],
  ["seo.backlinks.summary", { asks: "view", tells: "target view" }],
  ["seo.backlinks.history", { asks: "view", tells: "target view series[].date" }],
  ["seo.backlinks.bulk_pages_summary", { asks: "view", tells: "view results[].target" }],
  ["seo.competitors.bulk_traffic", { asks: "view", tells: "location language view" }],
  [/^seo\.keywords\.(difficulty|history|overview)$/, { tells: "keywords[] location language" }],
  ["seo.keywords.intent", { tells: "keywords[] language" }],
  ["seo.keywords.overview", { asks: "view", tells: "view" }],
  [bulk, { asks: "targets", tells: "results[].target missing_targets[] unprocessed_targets[]" }],
  // Backlinks
  [
    /^seo\.backlinks\.(list|anchors|referring_domains|referring_networks|domain_intersection)$/,
    { asks: "backlinks_status_type include_indirect_links" },
  ],
  ["seo.backlinks.referring_networks", { asks: "network_address_type" }],
  [/^seo\.backlinks\.timeseries/, { asks: "group_range", tells: "series[].date" }],
  ["seo.backlinks.summary", { tells: profile("") }],
  [
    /^seo\.backlinks\.(anchors|referring_domains|domain_pages_summary)$/,
    { tells: profile("results[].") },
  ],
  [
    "seo.backlinks.list",
    {
      tells:
        "results[].backlink_spam_score results[].item_type results[].domain_from_platform_type results[].first_seen results[].last_seen results[].prev_seen",
    },
  ],
  ["seo.backlinks.competitors", { asks: "view", tells: "target view results[].target" }],
  [
    "seo.backlinks.domain_intersection",
    {
      tells:
        "results[].domain results[].intersections_count results[].referring_to[].target results[].referring_to[].metrics",
    },
  ],
  [
    "seo.backlinks.page_intersection",
    {
      tells:
        "results[].url_from results[].domain_from results[].intersections_count results[].links_to[].target results[].links_to[].links[]",
    },
  ],
  ["seo.backlinks.domain_pages", { tells: "results[].fetch_time results[].title" }],
  // Competitors
  ["seo.competitors.domain_intersection", { asks: "target1 target2", tells: "target1 target2" }],
  ["seo.competitors.ranked_keywords", { tells: ranking("results[].") }],
  [
    "seo.competitors.domain_intersection",
    { tells: `${ranking("results[].first_domain.")} ${ranking("results[].second_domain.")}` },
  ],
  ["seo.competitors.page_intersection", { tells: ranking("results[].page_rankings[].") }],
  ["seo.competitors.relevant_pages", { tells: "results[].page_address" }],
  [
    /^seo\.competitors\.(domain_rank_overview|historical_rank_overview)$/,
    { tells: "results[].organic results[].paid" },
  ],
  [
    "seo.competitors.historical_bulk_traffic",
    { tells: "results[].organic[].etv results[].paid[].etv !results[].metrics" },
  ],
  ["seo.competitors.historical_serps", { tells: "results[].items_count" }],
  // Keywords
  [/^seo\.keywords\.(overview|ideas|suggestions|for_site)$/, { tells: keyword }],
  [
    "seo.keywords.intent",
    {
      tells:
        "results[].keyword results[].search_intent results[].probability results[].secondary_intents[].intent results[].secondary_intents[].probability",
    },
  ],
  ["seo.keywords.ideas", { tells: "seed_keywords[]" }],
  [/^seo\.keywords\.(suggestions|related)$/, { tells: "seed_keyword" }],
  [
    "seo.keywords.autocomplete",
    { asks: "cursor_pointer", tells: "results[].search_query_url results[].thumbnail_url" },
  ],
  // The organic result page
  [
    "seo.serp.search",
    {
      asks: "include_ai_overview people_also_ask_depth os include_omitted_results stop_at_target target_match target_search_mode target_element_types",
      tells:
        "questions[].question questions[].rank questions[].source serp_features[] summary.organic_results summary.billable_results summary.rich_results summary.paid_results summary.feature_counts summary.target_present summary.target_best_rank page rank_window.page rank_window.depth rank_window.start_rank rank_window.end_rank",
    },
  ],
  // Generated answers
  [
    "geo.serp",
    { asks: "target device view", tells: "query location language device surface view" },
  ],
  ["geo.serp", { tells: "serp_features[] results[].type" }],
  ["geo.mentions.cross_aggregated_metrics", { asks: "groups" }],
  [
    "geo.mentions.search",
    { asks: "target engine filters order_by limit cursor view", tells: "engine view" },
  ],
  [
    /^geo\.mentions\.top_(domains|pages)$/,
    {
      asks: "links_scope items_list_limit internal_list_limit",
      tells: "totals results[].key results[].mentions results[].breakdown",
    },
  ],
  // Search pages
  [place, { asks: "os" }],
  ["events.search", { asks: "date_range coordinate" }],
  ["local.search", { asks: "time_filter coordinate" }],
  // Hotels
  ["hotels.search", { asks: "is_vacation_rentals" }],
  [
    "hotels.search",
    {
      tells:
        "results[].hotel_identifier results[].location.latitude results[].location.longitude results[].reviews.rating results[].reviews.votes_count results[].reviews.rating_distribution results[].prices.price results[].prices.price_without_discount results[].prices.currency results[].prices.discount_text results[].overview_images[]",
    },
  ],
  [
    "hotels.info",
    {
      asks: "hotel_identifier",
      tells:
        "prices.prices_by_dates[].check_in_date prices.prices_by_dates[].check_out_date about.description about.full_address about.url about.domain about.check_in_time about.check_out_time about.amenities[] place.neighborhood place.neighborhood_description place.maps_url place.overall_score place.score_by_categories place.latitude place.longitude",
    },
  ],
  // Microblog
  ["microblog.posts.translation", { asks: "language" }],
  ["microblog.users.profile_translation", { asks: "language" }],
  ["microblog.autocomplete", { tells: "query users[] topics[] hashtags[] cashtags[]" }],
  // Others
  ["videosite.channels.get", { tells: "title" }],
  ["videosite.videos.get", { tells: "channel_id author" }],
  [/^forum\.(communities|posts)\.get$/, { tells: "is_nsfw" }],
  [
    "professional_network.posts.get",
    { tells: "share_count reactions[].type reactions[].count author.headline" },
  ],
  ["photosite.posts.get", { tells: "media_id accessibility_caption play_count" }],
  ["photosite.locations.posts", { asks: "tab" }],
  ["shortclip.hashtags.get", { tells: "video_count" }],
];

test.each(promises)("%s %j", (of, { asks = "", tells = "" }) => {
  const found = all.filter(({ id }) => (typeof of === "string" ? id === of : of.test(id)));
  expect(found.length, "operations of that name").toBeGreaterThan(0);
  for (const op of found) {
    const fields = { asks: new Set(Object.keys(op.input.shape)), tells: fieldPaths(op) };
    for (const [kind, names] of Object.entries({ asks, tells })) {
      for (const name of names.split(" ").filter((word) => word !== "")) {
        const known = [...fields[kind as keyof typeof fields]];
        const wanted = name.replace(/^!|\[\]$/g, "");
        const isThere = known.some((field) => field === wanted || field.startsWith(`${wanted}.`));
        expect(isThere, `${op.id} ${kind} ${wanted}`).toBe(!name.startsWith("!"));
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
    const asked = Object.keys(input.shape);
    const told = Object.keys((data as unknown as { shape: object }).shape);
    const wanted = ["filters", "order_by", "view", "offset", "cursor", "limit"];
    expect(
      wanted.filter((name) => !asked.includes(name)),
      id,
    ).toEqual([]);
    expect(
      ["view", "total_count", "results"].filter((name) => !told.includes(name)),
      id,
    ).toEqual([]);
    if (!id.startsWith("seo.backlinks.")) expect(told, id).toContain("location");
  }
});

test("a hotel search returns ten where the caller gives no limit", () => {
  const { input, example } = operations.get("hotels.search") as (typeof all)[number];
  const { limit: _limit, ...given } = example as { limit?: number };
  expect(input.parse(given)).toMatchObject({ limit: 10 });
});
