import * as z from "zod";

const reviewMention = z
  .object({
    title: z.string(),
    positive_score: z.number().optional(),
    positive_count: z.int().optional(),
    negative_count: z.int().optional(),
    total_count: z.int().optional(),
  })
  .meta({ id: "HotelReviewMention" });
export type ReviewMention = z.output<typeof reviewMention>;

const otherSiteReview = z
  .object({
    title: z.string().optional(),
    url: z.string().optional(),
    review_text: z.string().optional(),
    rating: z.number().optional(),
    rating_max: z.number().optional(),
    votes_count: z.int().optional(),
  })
  .meta({ id: "HotelOtherSiteReview" });
export type OtherSiteReview = z.output<typeof otherSiteReview>;

const reviews = z
  .object({
    rating: z.number().optional(),
    votes_count: z.int().optional(),
    rating_distribution: z
      .record(z.string(), z.number())
      .optional()
      .describe("Number of votes for each of 1 to 5"),
    mentions: z.array(reviewMention).optional().describe("Topics of the reviews"),
    other_sites_reviews: z.array(otherSiteReview).optional(),
  })
  .meta({ id: "HotelReviews" });
export type Reviews = z.output<typeof reviews>;

const datedPrice = z
  .object({
    check_in_date: z.string().optional().describe("YYYY-MM-DD"),
    check_out_date: z.string().optional().describe("YYYY-MM-DD"),
    price: z.number().optional(),
    currency: z.string().optional(),
  })
  .meta({ id: "HotelDatedPrice" });
export type DatedPrice = z.output<typeof datedPrice>;

const prices = z
  .object({
    price: z.number().optional().describe("For a night"),
    price_without_discount: z.number().optional(),
    currency: z.string().optional(),
    discount_text: z.string().optional(),
    check_in: z.string().optional().describe("YYYY-MM-DD"),
    check_out: z.string().optional().describe("YYYY-MM-DD"),
    guests: z.int().optional(),
  })
  .meta({ id: "HotelPrices" });

const profilePrices = prices
  .extend({ prices_by_dates: z.array(datedPrice).optional() })
  .meta({ id: "HotelProfilePrices" });
export type Prices = z.output<typeof profilePrices>;

const room = z
  .object({
    title: z.string().optional(),
    price: z.number().optional(),
    currency: z.string().optional(),
    url: z.string().optional(),
    max_guests: z.int().optional(),
    images: z.array(z.string()).optional(),
    free_cancellation_until: z.string().optional(),
  })
  .meta({ id: "HotelRoom" });
export type Room = z.output<typeof room>;

const offer = z
  .object({
    seller: z.string().optional(),
    price: z.number().optional(),
    currency: z.string().optional(),
    url: z.string().optional(),
    domain: z.string().optional(),
    is_paid: z.boolean().optional(),
    is_official_site: z.boolean().optional(),
    free_cancellation_until: z.string().optional(),
    rooms: z.array(room).optional(),
  })
  .meta({ id: "HotelOffer" });
export type Offer = z.output<typeof offer>;

const shared = {
  hotel_identifier: z.string(),
  title: z.string().optional(),
  stars: z.int().optional().describe("Class"),
  reviews: reviews.optional(),
  overview_images: z.array(z.string()).optional(),
  offers: z.array(offer).optional(),
};

/** A hotel of a search. A hotel without a free room has no `prices` and no `offers`. */
export const hotel = z
  .object({
    ...shared,
    rank: z.int().describe("Place in the list, from 1"),
    is_paid: z.boolean().optional(),
    is_billable: z.boolean().describe("Adverts are free"),
    location: z.object({ latitude: z.number(), longitude: z.number() }).optional(),
    prices: prices.optional(),
  })
  .meta({ id: "Hotel" });
export type Hotel = z.output<typeof hotel>;

const amenity = z
  .object({
    name: z.string(),
    label: z.string().optional(),
    hint: z.string().optional(),
    is_available: z.boolean().optional(),
  })
  .meta({ id: "HotelAmenity" });
export type Amenity = z.output<typeof amenity>;

const amenityGroup = z
  .object({
    category: z.string().optional(),
    label: z.string().optional(),
    items: z.array(amenity),
  })
  .meta({ id: "HotelAmenityGroup" });
export type AmenityGroup = z.output<typeof amenityGroup>;

const about = z
  .object({
    description: z.string().optional(),
    sub_descriptions: z.array(z.string()).optional(),
    full_address: z.string().optional(),
    url: z.string().optional().describe("The hotel's own site"),
    domain: z.string().optional(),
    check_in_time: z.string().optional().describe("HH:MM"),
    check_out_time: z.string().optional().describe("HH:MM"),
    amenities: z.array(amenityGroup).optional(),
    popular_amenities: z.array(amenity).optional(),
  })
  .meta({ id: "HotelAbout" });
export type About = z.output<typeof about>;

const place = z
  .object({
    neighborhood: z.string().optional(),
    neighborhood_description: z.string().optional(),
    maps_url: z.string().optional(),
    overall_score: z.number().optional().describe("How well it is situated, 1 to 5"),
    score_by_categories: z.record(z.string(), z.number()).optional(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
  })
  .meta({ id: "HotelPlace" });
export type Place = z.output<typeof place>;

export const hotelProfile = z
  .object({
    ...shared,
    stars_description: z.string().optional(),
    address: z.string().optional(),
    phone: z.string().optional(),
    observed_at: z.string().optional().describe("ISO 8601 UTC"),
    search_url: z.string().optional(),
    about: about.optional(),
    place: place.optional(),
    prices: profilePrices.optional(),
  })
  .meta({ id: "HotelProfile" });
export type HotelProfile = z.output<typeof hotelProfile>;
