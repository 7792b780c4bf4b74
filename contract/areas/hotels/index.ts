import * as z from "zod";
import { day, id, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import { language, location } from "../../search.ts";
import { coordinate, mostNights, stayInput } from "./input.ts";
import { hotel, hotelProfile } from "./records.ts";

const stay = {
  check_in: day("First night; tomorrow by default").optional(),
  check_out: day(
    `Last day, at most ${mostNights} nights later; the day after check_in by default`,
  ).optional(),
  adults: z.int().min(1).max(6).default(2),
  children: z
    .array(z.int().min(0).max(17))
    .max(5)
    .optional()
    .describe("Age of each child; at most 6 guests in all"),
  currency: z
    .string()
    .regex(/^[A-Za-z]{3}$/)
    .toUpperCase()
    .default("USD")
    .describe("ISO 4217"),
};

const amenities = [
  "air_conditioning",
  "all_inclusive_available",
  "bar",
  "beach_access",
  "fitness_center",
  "free_breakfast",
  "free_parking",
  "free_wifi",
  "indoor_pool",
  "kid_friendly",
  "outdoor_pool",
  "parking",
  "pets_allowed",
  "pool",
  "restaurant",
  "room_service",
  "spa",
  "wheelchair_accessible",
] as const;

const price = z.int().positive().optional();

const search = operation({
  id: "hotels.search",
  method: "POST",
  path: "/hotels/search",
  summary: "Hotels of a place with rating, pictures and price of a night",
  description: "Adverts are free context: they are not billed, but count toward `limit`.",
  input: stayInput({
    query: text(1, 700, "Words; all hotels of the place without it").optional(),
    location,
    coordinate: coordinate.optional(),
    language,
    ...stay,
    stars: z
      .array(z.int().min(1).max(5))
      .min(1)
      .max(5)
      .optional()
      .describe("Hotel classes to include"),
    min_rating: z.number().min(0).max(5).optional(),
    min_price: price.describe("For a night, in `currency`"),
    max_price: price.describe("For a night, in `currency`"),
    sort_by: z
      .enum(["relevance", "lowest_price", "highest_rating", "most_reviewed"])
      .default("relevance"),
    free_cancellation: z.boolean().default(false),
    is_vacation_rentals: z.boolean().default(false).describe("Holiday homes in place of hotels"),
    amenities: z.array(z.enum(amenities)).min(1).max(amenities.length).optional(),
    limit: z.int().min(1).max(140).default(10).describe("Most hotels to return"),
  }),
  data: z.object({
    query: z.string().optional(),
    location: z.string(),
    language: z.string(),
    check_in: z.string(),
    check_out: z.string(),
    currency: z.string(),
    observed_at: z.string().optional().describe("ISO 8601 UTC"),
    search_url: z.string().optional(),
    result_count: z.int().min(0).describe("Hotels in `results`"),
    results: z.array(hotel),
  }),
  records: {
    kind: "list",
    rows: (data) => data.results,
    most: (input) => input.limit,
    billable: (row: { is_billable: boolean }) => row.is_billable,
  },
  example: {
    query: "quiet",
    location: "London,England,United Kingdom",
    stars: [3, 4, 5],
    limit: 6,
  },
});

const info = operation({
  id: "hotels.info",
  method: "POST",
  path: "/hotels/info",
  summary: "Everything known about one hotel",
  input: stayInput({
    hotel_identifier: id(
      /^[A-Za-z0-9_-]{10,120}$/,
      "`hotel_identifier` of a search",
      "10 to 120 letters, digits, `_` or `-`",
    ),
    location,
    language,
    ...stay,
    load_prices_by_dates: z.boolean().default(false).describe("Prices of further nights"),
    prices_start_date: day("First of those nights; check_in by default").optional(),
    prices_end_date: day("Last of those nights, in place of a range").optional(),
    prices_date_range: z
      .enum(["month", "three_months", "six_months", "year", "next_30_days"])
      .default("month")
      .describe("Span of days that the prices cover; `next_30_days` is another name of `month`"),
  }),
  data: hotelProfile,
  records: { kind: "one" },
  example: { hotel_identifier: "CgoI-KWyzenM_MV3EAE", load_prices_by_dates: true },
});

export const hotels = area({
  name: "hotels",
  summary: "Hotels with class, reviews, pictures and prices",
  pool: "serp",
  deadlineMs: 120_000,
  operations: [search, info],
});
