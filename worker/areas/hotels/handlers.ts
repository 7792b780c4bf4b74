import { stayOf } from "../../../contract/areas/hotels/input.ts";
import type { hotels } from "../../../contract/areas/hotels/index.ts";
import type { Connector } from "../../connector.ts";
import { degrees, languageTask, localityTask } from "../../mapping/locality.ts";
import { type Task, ask, itemsOf, literal } from "../../upstreams/dataforseo/client.ts";
import { defined, found, rows, text } from "#wire";
import { time } from "../../upstreams/dataforseo/values.map.ts";
import { hotel, hotelProfile } from "./hotel.map.ts";
import { untilBillable } from "../../upstreams/dataforseo/serp-elements.map.ts";

const searchPath = "/v3/business_data/google/hotel_searches/live";
const infoPath = "/v3/business_data/google/hotel_info/live/advanced";

interface Stay {
  check_in?: string | undefined;
  check_out?: string | undefined;
  adults: number;
  children?: number[] | undefined;
  currency: string;
}

function stayTask({ adults, children, currency, ...days }: Stay, now: number): Task {
  const { check_in, check_out } = stayOf(days, now);
  return { check_in, check_out, adults, children, currency };
}

/** Place and language of a call; a point has no radius here. */
function placeTask(input: Parameters<typeof localityTask>[0]): Task {
  const task = localityTask(input);
  if (!("location_coordinate" in task)) return task;
  const point = task.location_coordinate.split(",").slice(0, 2).join(",");
  return { ...task, location_coordinate: point };
}

export default {
  "hotels.search": async (input, call) => {
    const { query, coordinate, limit, currency } = input;
    const centre = coordinate && `${degrees(coordinate.latitude)},${degrees(coordinate.longitude)}`;
    const rowLimit = Math.min(limit, call.maxRecords);
    const task = {
      keyword: query === undefined ? undefined : literal(query),
      ...(centre
        ? { location_coordinate: centre, ...languageTask(input.language) }
        : placeTask(input)),
      ...stayTask(input, call.startedAt),
      stars: input.stars,
      min_rating: input.min_rating,
      min_price: input.min_price,
      max_price: input.max_price,
      sort_by: input.sort_by,
      free_cancellation: input.free_cancellation,
      is_vacation_rentals: input.is_vacation_rentals,
      amenities: input.amenities,
      depth: rowLimit,
    };
    const result = await ask(call, searchPath, task, input);
    let rank = 0;
    const listed = rows(itemsOf(result), "items", (row) => hotel(row, ++rank));
    const delivered = untilBillable(listed.slice(0, limit), rowLimit);
    return {
      data: defined({
        query,
        location: centre ?? String(input.location),
        language: input.language,
        ...stayOf(input, call.startedAt),
        currency,
        observed_at: time(result?.datetime),
        search_url: text(result?.check_url),
        result_count: delivered.rows.length,
        results: delivered.rows,
      }),
      truncated:
        call.shortOfCredits &&
        rowLimit < limit &&
        delivered.rows.filter((row) => row.is_billable).length === rowLimit,
    };
  },

  "hotels.info": async (input, call) => {
    const dated = input.load_prices_by_dates;
    const { prices_date_range: named, prices_end_date: end } = input;
    const range = named === "next_30_days" ? "month" : named;
    const result = await ask(call, infoPath, {
      hotel_identifier: input.hotel_identifier,
      ...placeTask(input),
      ...stayTask(input, call.startedAt),
      ...(dated
        ? {
            load_prices_by_dates: true,
            prices_start_date: input.prices_start_date,
            prices_end_date: input.prices_end_date,
            prices_date_range: end === undefined ? range : undefined,
          }
        : {}),
    });
    return { data: hotelProfile(found(result, "hotel")) };
  },
} satisfies Connector<typeof hotels>;
