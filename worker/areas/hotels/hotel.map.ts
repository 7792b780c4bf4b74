import type {
  About,
  Amenity,
  AmenityGroup,
  DatedPrice,
  Hotel,
  HotelProfile,
  Offer,
  OtherSiteReview,
  Place,
  Prices,
  ReviewMention,
  Reviews,
  Room,
} from "../../../contract/areas/hotels/records.ts";
import {
  type Wire,
  array,
  boolean,
  count,
  defined,
  each,
  integer,
  need,
  number,
  object,
  text,
} from "#wire";
import { day, mapOf, texts, time } from "../../upstreams/dataforseo/values.map.ts";

/** Reads the objects of a list; undefined where there is no list or no object fits. */
function listOf<T>(value: unknown, read: (entry: Wire) => T | undefined): T[] | undefined {
  const found = each(value, (entry) => {
    const holder = object(entry);
    return holder && read(holder);
  });
  return found.length > 0 ? found : undefined;
}

/** The object without undefined members; undefined where no member is left. */
function filled<T extends object>(record: T) {
  const kept = defined(record);
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function reviewsOf(value: unknown): Reviews | undefined {
  const holder = object(value);
  return filled({
    rating: number(holder?.value),
    votes_count: count(holder?.votes_count),
    rating_distribution: mapOf(object(holder?.rating_distribution), count),
    mentions: listOf(holder?.mentions, mention),
    other_sites_reviews: listOf(holder?.other_sites_reviews, otherSite),
  });
}

function mention(row: Wire): ReviewMention | undefined {
  const title = text(row.title);
  if (title === undefined) return undefined;
  return defined({
    title,
    positive_score: number(row.positive_score),
    positive_count: count(row.positive_count),
    negative_count: count(row.negative_count),
    total_count: count(row.total_count),
  });
}

function otherSite(row: Wire): OtherSiteReview | undefined {
  const rating = object(row.rating);
  return filled({
    title: text(row.title),
    url: text(row.url),
    review_text: text(row.review_text),
    rating: number(rating?.value),
    rating_max: number(rating?.rating_max),
    votes_count: count(rating?.votes_count),
  });
}

/** A day of a stay, which the source writes with a time of day. */
const stayDay = (value: unknown) => day(value) ?? text(value);

function pricesOf(value: unknown): Omit<Prices, "prices_by_dates"> | undefined {
  const holder = object(value);
  return filled({
    price: number(holder?.price),
    price_without_discount: number(holder?.price_without_discount),
    currency: text(holder?.currency),
    discount_text: text(holder?.discount_text),
    check_in: stayDay(holder?.check_in),
    check_out: stayDay(holder?.check_out),
    guests: count(holder?.visitors),
  });
}

function datedPrice(row: Wire): DatedPrice | undefined {
  return filled({
    check_in_date: stayDay(row.check_in_date),
    check_out_date: stayDay(row.check_out_date),
    price: number(row.price),
    currency: text(row.currency),
  });
}

const freeUntil = (row: Wire) =>
  time(row.free_cancellation_until) ?? text(row.free_cancellation_until);

function offersOf(prices: unknown): Offer[] | undefined {
  return listOf(object(prices)?.items, (row) =>
    filled({
      seller: text(row.title),
      price: number(row.price),
      currency: text(row.currency),
      url: text(row.url),
      domain: text(row.domain),
      is_paid: boolean(row.is_paid),
      is_official_site: boolean(row.official_site),
      free_cancellation_until: freeUntil(row),
      rooms: listOf(row.offers, roomOf),
    }),
  );
}

function roomOf(row: Wire): Room | undefined {
  return filled({
    title: text(row.title),
    price: number(row.price),
    currency: text(row.currency),
    url: text(row.url),
    max_guests: count(row.max_visitors),
    images: texts(row.offer_images),
    free_cancellation_until: freeUntil(row),
  });
}

function shared(row: Wire, path: string) {
  return {
    hotel_identifier: need(text(row.hotel_identifier), `${path}hotel_identifier`),
    title: text(row.title),
    stars: integer(row.stars),
    reviews: reviewsOf(row.reviews),
    overview_images: texts(row.overview_images),
    offers: offersOf(row.prices),
  };
}

/** A hotel of a search at its position in the list, from 1. */
export function hotel(row: Wire, rank: number): Hotel {
  const place = object(row.location);
  const [latitude, longitude] = [number(place?.latitude), number(place?.longitude)];
  const known = latitude !== undefined && longitude !== undefined;
  return defined({
    ...shared(row, "items[]."),
    rank,
    is_paid: boolean(row.is_paid),
    is_billable: row.is_paid !== true,
    location: known ? { latitude, longitude } : undefined,
    prices: pricesOf(row.prices),
  });
}

export function hotelProfile(result: Wire): HotelProfile {
  const { prices } = result;
  const dated = listOf(object(prices)?.prices_by_dates, datedPrice);
  const known = pricesOf(prices);
  return defined({
    ...shared(result, "result[0]."),
    stars_description: text(result.stars_description),
    address: text(result.address),
    phone: text(result.phone),
    observed_at: time(result.datetime),
    search_url: text(result.check_url),
    about: aboutOf(result.about),
    place: placeOf(result.location),
    prices: known || dated ? { ...known, prices_by_dates: dated } : undefined,
  });
}

function aboutOf(value: unknown): About | undefined {
  const holder = object(value);
  return filled({
    description: text(holder?.description),
    sub_descriptions: texts(holder?.sub_descriptions),
    full_address: text(holder?.full_address),
    url: text(holder?.url),
    domain: text(holder?.domain),
    check_in_time: clock(holder?.check_in_time),
    check_out_time: clock(holder?.check_out_time),
    amenities: listOf(holder?.amenities, amenityGroup),
    popular_amenities: listOf(holder?.popular_amenities, amenity),
  });
}

/** Hour and minute as HH:MM. */
function clock(value: unknown): string | undefined {
  const holder = object(value);
  const hour = count(holder?.hour);
  const minute = count(holder?.minute) ?? 0;
  if (hour === undefined || hour > 23 || minute > 59) return undefined;
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function amenityGroup(row: Wire): AmenityGroup | undefined {
  return defined({
    category: text(row.category),
    label: text(row.category_label),
    items: each(array(row.items), (entry) => {
      const holder = object(entry);
      return holder && amenity(holder);
    }),
  });
}

function amenity(row: Wire): Amenity | undefined {
  const name = text(row.amenity);
  if (name === undefined) return undefined;
  return defined({
    name,
    label: text(row.amenity_label),
    hint: text(row.hint_label) ?? text(row.hint),
    is_available: boolean(row.is_available),
  });
}

function placeOf(value: unknown): Place | undefined {
  const holder = object(value);
  return filled({
    neighborhood: text(holder?.neighborhood),
    neighborhood_description: text(holder?.neighborhood_description),
    maps_url: text(holder?.maps_url),
    overall_score: number(holder?.overall_score),
    score_by_categories: mapOf(object(holder?.score_by_categories), number),
    latitude: number(holder?.latitude),
    longitude: number(holder?.longitude),
  });
}
