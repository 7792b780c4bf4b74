import type { events } from "../../../contract/areas/events/index.ts";
import type { Connector } from "../../connector.ts";
import { eventDates } from "./dates.ts";
import { eventLocale } from "./locale.ts";
import { around, eventPlace } from "./place.ts";
import { collect } from "../../mapping/list.ts";
import { degrees } from "../../mapping/locality.ts";
import { findEvents } from "../../upstreams/ticketmaster/client.ts";
import { need, object, rows } from "#wire";
import { eventElement, eventPage } from "./event.map.ts";

const mostRows = 200;
/** Upstream limit on the rows before a page. */
const deepest = 1000;

export default {
  "events.search": async (input, call) => {
    const { query, coordinate, language, limit, view } = input;
    const rowLimit = Math.min(limit, call.maxRecords);
    const size = Math.min(mostRows, rowLimit);
    const place = coordinate
      ? around(coordinate.latitude, coordinate.longitude)
      : eventPlace(input.location);
    let total: number | undefined;
    const found = await collect(call, {
      limit,
      async fetch(position) {
        const page = typeof position === "number" ? position : 0;
        const body = await findEvents(call, {
          keyword: query,
          locale: eventLocale(language),
          sort: "relevance,desc",
          ...place,
          ...eventDates(input.date_range, new Date(call.startedAt)),
          size,
          page,
        });
        const answer = eventPage(body);
        total ??= answer.total;
        const next = page + 1;
        const { pages, isLinked } = answer;
        const isEnd = pages === undefined ? !isLinked : next >= pages;
        const isLast = answer.events.length === 0 || isEnd || next * size >= deepest;
        // An event that does not fit still counts in the positions.
        const numbered = answer.events.map((event, index) => ({
          event,
          rank: page * size + index + 1,
        }));
        return {
          rows: rows(numbered, "_embedded.events", ({ event, rank }) => {
            const found = eventElement(need(object(event), "_embedded.events[]"), view);
            const { type, is_billable, ...rest } = found;
            return { type, is_billable, rank: rank as number, group_rank: rank as number, ...rest };
          }),
          next: isLast ? undefined : next,
        };
      },
    });
    const results = found.rows;
    return {
      data: {
        query,
        location: coordinate
          ? `${degrees(coordinate.latitude)},${degrees(coordinate.longitude)}`
          : String(input.location),
        language,
        view,
        observed_at: new Date(call.startedAt).toISOString().replace(/\.\d{3}Z$/, "Z"),
        total_results: total !== undefined && total >= 0 ? total : undefined,
        item_types: results.length > 0 ? ["event_item"] : [],
        result_count: results.length,
        results,
      },
      truncated: found.truncated,
    };
  },
} satisfies Connector<typeof events>;
