import type { weather } from "../../../contract/areas/weather/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { degrees } from "../../mapping/locality.ts";
import type { Upstream } from "../../transport/upstream.ts";
import {
  openMeteo,
  openMeteoAirQuality,
  openMeteoArchive,
} from "../../upstreams/open-meteo/client.ts";
import { air, airQuality, daily, hourly, world } from "./open-meteo.map.ts";

type Query = Readonly<Record<string, string | number | undefined>>;
type Names = Readonly<Record<string, string>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

const most = 366;
const dayMs = 86_400_000;

interface Position {
  latitude: number;
  longitude: number;
}

const at = ({ latitude, longitude }: Position) => ({
  latitude: degrees(latitude),
  longitude: degrees(longitude),
  timezone: "auto",
});

/** The members of hours or of days, as the source takes them. */
function series(granularity: "daily" | "hourly", without: readonly string[] = []) {
  const names: Names = granularity === "hourly" ? hourly : daily;
  const wanted = Object.entries(names).filter(([name]) => !without.includes(name));
  return { [granularity]: wanted.map(([, name]) => name).join(",") };
}

type Worlds = Pick<
  Connector<typeof weather>,
  "weather.world.forecast" | "weather.world.history" | "weather.world.air_quality"
>;

export const worlds: Worlds = {
  "weather.world.forecast": async (input, call) => {
    const query = { ...at(input), ...series(input.granularity), forecast_days: input.days };
    return { data: world(await get(call, openMeteo, "/v1/forecast", query)) };
  },
  "weather.world.history": async (input, call) => {
    const { from_date, to_date, granularity } = input;
    const span = (Date.parse(to_date) - Date.parse(from_date)) / dayMs;
    if (span < 0 || span >= most) {
      const rule = span < 0 ? "must not be after to_date" : `at most ${most} days before to_date`;
      throw invalid("query", "from_date", "invalid_value", `from_date: ${rule}`);
    }
    const names = series(granularity, ["precipitation_probability"]);
    const query = { ...at(input), ...names, start_date: from_date, end_date: to_date };
    return { data: world(await get(call, openMeteoArchive, "/v1/archive", query)) };
  },
  "weather.world.air_quality": async (input, call) => {
    const query = { ...at(input), hourly: Object.values(air).join(","), forecast_days: input.days };
    return { data: airQuality(await get(call, openMeteoAirQuality, "/v1/air-quality", query)) };
  },
};
