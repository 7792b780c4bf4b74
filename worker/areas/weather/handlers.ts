import type { weather } from "../../../contract/areas/weather/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { listed, wholeById } from "../../mapping/list.ts";
import { degrees } from "../../mapping/locality.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { nws } from "../../upstreams/nws/client.ts";
import { usgs } from "../../upstreams/usgs/client.ts";
import { array, at, count, need, object, rows } from "#wire";
import { earthquake } from "./earthquakes.map.ts";
import { alert, cell, forecast, observation, station } from "./nws.map.ts";
import { worlds } from "./world.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query = {}) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

/** A position of at most four decimals; the source redirects longer ones. */
const point = (latitude: number, longitude: number) =>
  [latitude, longitude].map((one) => Number(one.toFixed(4))).join(",");

const cellAt = async (call: Call, input: { latitude: number; longitude: number }) =>
  cell(await get(call, nws, `/points/${point(input.latitude, input.longitude)}`));

function inOrder(from: number | string | undefined, to: typeof from, fields: [string, string]) {
  if (from === undefined || to === undefined || from <= to) return;
  const message = `${fields[0]}: must not be more than ${fields[1]}`;
  throw invalid("query", fields[0], "invalid_value", message);
}

/** Longitudes of the borders: one east of the antimeridian goes on beyond 180 for a box that lies over it. */
function meridians({ west, east }: { west?: number | undefined; east?: number | undefined }) {
  const isSplit = west !== undefined && east !== undefined && west > east;
  return [west, isSplit ? east + 360 : east].map(plain);
}

const plain = (border: number | undefined) => (border === undefined ? undefined : degrees(border));

/** The source's words for an order. */
const orders = {
  newest: "time",
  oldest: "time-asc",
  strongest: "magnitude",
  weakest: "magnitude-asc",
};
const monthMs = 30 * 86_400_000;
/** The source shows no earthquake beyond this number. */
const lastEarthquake = 20_000;

export default {
  "weather.alerts": async ({ state, latitude, longitude, limit }, call) => {
    if ((latitude === undefined) !== (longitude === undefined)) {
      const field = latitude === undefined ? "latitude" : "longitude";
      const message = `${field}: latitude and longitude come together`;
      throw invalid("query", field, "required", message);
    }
    if (state !== undefined && latitude !== undefined) {
      const message = "state: give a state or a position, not both";
      throw invalid("query", "state", "invalid_value", message);
    }
    const here =
      latitude === undefined || longitude === undefined ? undefined : point(latitude, longitude);
    const body = await get(call, nws, "/alerts/active", { area: state, point: here });
    return wholeById(call, rows(at(body, "features"), "features", alert).slice(0, limit));
  },
  "weather.forecast": async (input, call) => {
    const where = await cellAt(call, input);
    const kind = input.granularity === "hourly" ? "forecast/hourly" : "forecast";
    const body = await get(call, nws, `${where.path}/${kind}`, { units: "si" });
    return { data: forecast(where, body) };
  },
  "weather.stations": async (input, call) => {
    const body = await get(call, nws, `${(await cellAt(call, input)).path}/stations`);
    return wholeById(call, rows(at(body, "features"), "features", station).slice(0, input.limit));
  },
  "weather.observation": async (input, call) => ({
    data: observation(
      input.station,
      await get(call, nws, `/stations/${input.station}/observations/latest`),
    ),
  }),
  "weather.earthquakes.search": (input, call) => {
    // Without a first day the source begins 30 days ago, and refuses an end before that.
    const first = input.from_date ?? new Date(call.startedAt - monthMs).toISOString().slice(0, 10);
    inOrder(first, input.to_date, ["from_date", "to_date"]);
    inOrder(input.min_magnitude, input.max_magnitude, ["min_magnitude", "max_magnitude"]);
    inOrder(input.south, input.north, ["south", "north"]);
    const [west, east] = meridians(input);
    return listed(call, {
      limit: input.limit,
      start: { offset: 1, size: input.limit },
      key: (row) => row.id,
      async fetch(position) {
        const offset = need(count(at(position, "offset")), "offset");
        const size = need(count(at(position, "size")), "size");
        const most = Math.min(size, lastEarthquake - offset + 1);
        const body = await get(call, usgs, "/fdsnws/event/1/query", {
          format: "geojson",
          starttime: input.from_date,
          endtime: input.to_date === undefined ? undefined : `${input.to_date}T23:59:59.999`,
          minmagnitude: input.min_magnitude,
          maxmagnitude: input.max_magnitude,
          minlatitude: plain(input.south),
          maxlatitude: plain(input.north),
          minlongitude: west,
          maxlongitude: east,
          orderby: orders[input.sort],
          limit: most,
          offset,
        });
        const features = need(array(at(body, "features")), "features");
        const next = offset + size;
        const isLast = features.length < most || next > lastEarthquake;
        return {
          rows: rows(features, "features", earthquake),
          next: isLast ? null : { offset: next, size },
        };
      },
    });
  },
  "weather.earthquakes.get": async (input, call) => {
    const query = { format: "geojson", eventid: input.id };
    const body = await get(call, usgs, "/fdsnws/event/1/query", query);
    return { data: earthquake(need(object(body), "feature")) };
  },
  ...worlds,
} satisfies Connector<typeof weather>;
