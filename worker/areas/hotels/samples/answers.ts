import type { SampleRequest } from "../../../sandbox/sample.ts";
import { type SampleTask, live } from "../../../sandbox/dataforseo-live.ts";
import { moment, words } from "../../../sandbox/figures.ts";
import { type Vary, vary } from "../../../sandbox/vary.ts";

const total = 60;
const paidEvery = 7;
const kinds = ["Grand", "Old", "Little", "Royal", "Quiet"];
const sellers = ["Sample Travel", "Example Rooms", "Made-up Trips"];

const titleOf = (v: Vary) => `${v.pick("kind", kinds)} ${v.pick("name", words)} hotel`;

function reviews(v: Vary, isRated: boolean) {
  if (!isRated) {
    const nothing = { rating_distribution: null, mentions: null, other_sites_reviews: null };
    return { value: null, votes_count: null, ...nothing };
  }
  return {
    value: v.int("value", 30, 49) / 10,
    votes_count: v.int("votes", 5, 9000),
    mentions: ["Breakfast", "Location"].map((title) => ({
      title,
      positive_score: v.int(`${title} score`, 1, 9) / 10,
      positive_count: v.int(`${title} good`, 1, 400),
      negative_count: v.int(`${title} bad`, 0, 40),
      total_count: v.int(`${title} all`, 440, 900),
      visible_by_default: true,
    })),
    rating_distribution: Object.fromEntries(
      ["1", "2", "3", "4", "5"].map((stars) => [stars, v.int(`stars ${stars}`, 0, 900)]),
    ),
    other_sites_reviews: [
      {
        title: "Sample Reviews",
        url: `https://reviews.example/${v.pick("name", words)}`,
        review_text: `Close to the ${v.pick("near", words)}`,
        rating: {
          rating_type: "Max5",
          value: v.int("other", 30, 49) / 10,
          votes_count: v.int("other votes", 1, 900),
          rating_max: 5,
        },
      },
    ],
  };
}

/** A hotel without a free room has no prices at all; most hotels have no offers. */
function prices(v: Vary, task: SampleTask, offers: "none" | "some") {
  const price = v.int("price", 60, 400);
  const currency = task.currency;
  const until = moment(v, "free until", 2026);
  return {
    price,
    price_without_discount: v.int("discount", 0, 2) === 0 ? price + 30 : null,
    currency,
    discount_text: v.int("discount", 0, 2) === 0 ? `${v.int("percent", 5, 20)}% less` : null,
    check_in: task.check_in,
    check_out: task.check_out,
    visitors: Number(task.adults ?? 2),
    items:
      offers === "none"
        ? null
        : sellers.map((title, index) => ({
            type: "hotel_search_price_item",
            title,
            price: price + index * 3,
            currency,
            url: `https://rooms-${index}.example/book`,
            domain: `rooms-${index}.example`,
            is_paid: index === 0,
            official_site: index === 1,
            free_cancellation_until: index === 2 ? until : null,
            offers:
              index === 2
                ? null
                : [
                    {
                      type: "hotel_search_offer",
                      title: `Room with ${v.pick("room", words)} view`,
                      price: price + index,
                      currency,
                      url: `https://rooms-${index}.example/book/1`,
                      max_visitors: v.int("guests", 1, 4),
                      offer_images: [`https://images.example/room-${index}.webp`],
                      free_cancellation_until: index === 0 ? until : null,
                    },
                  ],
          })),
  };
}

const point = (v: Vary) => ({
  latitude: 51 + v.int("latitude", 0, 9999) / 10_000,
  longitude: -v.int("longitude", 1, 9999) / 10_000,
});

function item(task: SampleTask, index: number) {
  const { depth: _depth, ...same } = task;
  const v = vary("hotel", JSON.stringify(same), index);
  const paid = index % paidEvery === 1;
  const stars = task.stars as number[] | undefined;
  return {
    type: "hotel_search_item",
    hotel_identifier: `Cg${v.token("identifier", 17)}`,
    title: titleOf(v),
    stars: index % 5 === 4 ? null : v.pick("stars", stars ?? [2, 3, 4, 5]),
    is_paid: paid,
    location: index % 6 === 5 ? null : point(v),
    reviews: reviews(v, index % 4 !== 3),
    overview_images: index % 4 === 3 ? null : [`https://images.example/hotel-${index}.webp`],
    prices: index % 5 === 3 ? null : prices(v, task, index % 3 === 0 ? "some" : "none"),
  };
}

function search(task: SampleTask, request: SampleRequest) {
  const wanted = request.empty ? 0 : Math.min(total, Number(task.depth ?? 18));
  const items: ReturnType<typeof item>[] = [];
  // The requested number of hotels, with adverts between them.
  for (let index = 0, organic = 0; organic < wanted; index += 1) {
    const next = item(task, index);
    items.push(next);
    if (!next.is_paid) organic += 1;
  }
  const v = vary("hotels", JSON.stringify(task.keyword ?? ""));
  return {
    keyword: task.keyword ?? null,
    location_code: task.location_code ?? 2826,
    language_code: task.language_code ?? "en",
    check_url: "https://www.google.com/travel/search",
    datetime: moment(v, "seen", 2026),
    items_count: items.length,
    items: items.length === 0 ? null : items,
  };
}

const feature = (v: Vary, name: string, isAvailable: boolean) => ({
  amenity: name,
  amenity_label: name.replaceAll("_", " "),
  hint: isAvailable ? "free" : null,
  hint_label: isAvailable ? `Free, near the ${v.pick("hint", words)}` : null,
  is_available: isAvailable,
});

function datedPrices(v: Vary, task: SampleTask) {
  const from = Date.parse(`${String(task.prices_start_date ?? task.check_in)}T00:00:00Z`);
  const day = (offset: number) => new Date(from + offset * 86_400_000).toISOString().slice(0, 10);
  return [0, 1, 2, 3].map((offset) => ({
    check_in_date: day(offset),
    check_out_date: day(offset + 1),
    price: v.int(`night ${offset}`, 60, 400),
    currency: task.currency,
  }));
}

function info(task: SampleTask) {
  const identifier = String(task.hotel_identifier);
  const v = vary("hotel", identifier);
  const dated = task.load_prices_by_dates ? datedPrices(v, task) : null;
  return {
    hotel_identifier: identifier,
    location_code: task.location_code ?? 2840,
    language_code: task.language_code ?? "en",
    check_url: `https://www.google.com/travel/hotels/entity/${identifier}`,
    datetime: moment(v, "seen", 2026),
    title: titleOf(v),
    stars: v.int("stars", 2, 5),
    stars_description: `${v.int("stars", 2, 5)}-star hotel`,
    address: `${v.int("number", 1, 200)} ${v.pick("street", words)} street`,
    phone: "+1 555-555-0100",
    about: {
      description: `A hotel beside the ${v.pick("beside", words)}.`,
      sub_descriptions: [`Rooms with ${v.pick("rooms", words)} decoration.`],
      check_in_time: { hour: 15, minute: 0 },
      check_out_time: { hour: 9, minute: 30 },
      full_address: `${v.int("number", 1, 200)} ${v.pick("street", words)} street, Sampletown`,
      domain: "hotel.example",
      url: `https://hotel.example/${v.pick("name", words)}`,
      amenities: [
        {
          category: "internet",
          category_label: "Internet",
          items: [feature(v, "free_wifi", true), feature(v, "public_computer", false)],
        },
        { category: "pools", category_label: "Pools", items: [feature(v, "pool", false)] },
      ],
      popular_amenities: [feature(v, "free_wifi", true), feature(v, "spa", false)],
    },
    location: {
      neighborhood: `${v.pick("quarter", words)} quarter`,
      neighborhood_description: `Known for its ${v.pick("known", words)}`,
      maps_url: `https://www.google.com/maps/place/${v.pick("name", words)}`,
      overall_score: v.int("score", 20, 50) / 10,
      score_by_categories: {
        things_to_do: v.int("sights", 20, 50) / 10,
        transportation: v.int("transport", 20, 50) / 10,
        airport_access: null,
      },
      ...point(v),
      location_chain: null,
    },
    reviews: reviews(v, true),
    overview_images: [1, 2].map((number) => `https://images.example/view-${number}.webp`),
    prices: { ...prices(v, task, "some"), prices_by_dates: dated },
  };
}

export const hotels = {
  ...live("/v3/business_data/google/hotel_searches/live", search),
  ...live("/v3/business_data/google/hotel_info/live/advanced", info),
};
