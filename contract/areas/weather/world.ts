import * as z from "zod";
import { day } from "../../fields.ts";
import { operation } from "../../operation.ts";
import type { Source } from "../../source.ts";

const openMeteo: Source = {
  name: "Open-Meteo",
  url: "https://open-meteo.com",
  licence: "CC BY 4.0, public servers for non-commercial use only",
  terms: "https://open-meteo.com/en/terms",
  attribution: "Weather data by Open-Meteo.com",
};

const celsius = z.number().optional().describe("Temperature in degrees Celsius");
const speed = z.number().optional().describe("Speed in km/h");
const direction = z.number().optional().describe("Degrees from which the wind comes");
const millimetres = z.number().optional().describe("Rain and melted snow in millimetres");
const probability = z.number().optional().describe("Probability of rain or snow in percent");
const code = z
  .int()
  .optional()
  .describe("Code of the weather, WMO table 4677 as the source uses it");
const time = z.string().describe("Beginning of the hour, ISO 8601 with its offset");

const hour = z.object({
  time,
  temperature: celsius,
  apparent_temperature: celsius,
  dew_point: z.number().optional().describe("Dew point in degrees Celsius"),
  humidity: z.number().optional().describe("Relative humidity in percent"),
  precipitation: millimetres,
  precipitation_probability: probability,
  cloud_cover: z.number().optional().describe("Sky covered by clouds in percent"),
  pressure: z.number().optional().describe("Pressure at sea level in pascals"),
  wind_speed: speed,
  wind_gust: speed,
  wind_direction: direction,
  is_daytime: z.boolean().optional(),
  weather_code: code,
});

const dayOf = z.object({
  date: z.string().describe("Day of the place, YYYY-MM-DD"),
  temperature_max: celsius,
  temperature_min: celsius,
  precipitation: millimetres,
  precipitation_probability: probability,
  wind_speed: z.number().optional().describe("Highest speed in km/h"),
  wind_gust: z.number().optional().describe("Highest speed in km/h"),
  wind_direction: direction,
  sunrise: z.string().optional().describe("Sunrise, ISO 8601 with its offset"),
  sunset: z.string().optional().describe("Sunset, ISO 8601 with its offset"),
  weather_code: code,
});

const place = {
  latitude: z.number().describe("Latitude of the model's cell"),
  longitude: z.number().describe("Longitude of the model's cell"),
  elevation: z.number().optional().describe("Metres above the sea"),
  time_zone: z.string().optional(),
};

export const worldForecast = z
  .object({
    ...place,
    days: z.array(dayOf).describe("Days, where these are requested"),
    hours: z.array(hour).describe("Hours, where these are requested"),
  })
  .meta({ id: "WorldForecast" });

/** Past weather: it has no probabilities. */
export const worldHistory = z
  .object({
    ...place,
    days: z
      .array(dayOf.omit({ precipitation_probability: true }))
      .describe("Days, where these are requested"),
    hours: z
      .array(hour.omit({ precipitation_probability: true }))
      .describe("Hours, where these are requested"),
  })
  .meta({ id: "WorldHistory" });

const concentration = (what: string) =>
  z.number().optional().describe(`${what} in micrograms a cubic metre`);

export const airQuality = z
  .object({
    ...place,
    hours: z.array(
      z.object({
        time,
        us_aqi: z.number().optional().describe("Air quality index of the United States, 0 to 500"),
        european_aqi: z
          .number()
          .optional()
          .describe("European air quality index, 0 to 100 and more"),
        pm10: concentration("Particles up to 10 micrometres"),
        pm2_5: concentration("Particles up to 2.5 micrometres"),
        carbon_monoxide: concentration("Carbon monoxide"),
        nitrogen_dioxide: concentration("Nitrogen dioxide"),
        sulphur_dioxide: concentration("Sulphur dioxide"),
        ozone: concentration("Ozone"),
        dust: concentration("Dust of deserts"),
        uv_index: z.number().optional().describe("UV index"),
      }),
    ),
  })
  .meta({ id: "AirQuality" });

export type WorldForecast = z.output<typeof worldForecast>;
export type AirQuality = z.output<typeof airQuality>;

const latitude = z.number().min(-90).max(90).describe("Degrees of latitude");
const longitude = z.number().min(-180).max(180).describe("Degrees of longitude");
const granularity = z.enum(["daily", "hourly"]).default("daily").describe("Span of each entry");
const off =
  "The source is off until the operator sets `OPEN_METEO_TERMS`: its public servers are for non-commercial use only.";

export const worldOperations = [
  operation({
    id: "weather.world.forecast",
    method: "GET",
    path: "/weather/world/forecast",
    summary: "The forecast for any position of the world, up to 16 days",
    description: `${off} \`weather.forecast\` needs no such setting in the United States.`,
    sources: [openMeteo],
    input: z.strictObject({
      latitude,
      longitude,
      granularity,
      days: z.int().min(1).max(16).default(7).describe("Days from today on"),
    }),
    data: worldForecast,
    records: { kind: "one" },
    example: { latitude: 52.52, longitude: 13.41, days: 3 },
  }),
  operation({
    id: "weather.world.history",
    method: "GET",
    path: "/weather/world/history",
    summary: "Past weather of any position of the world since 1940",
    description: `${off} The last days before today may be missing. At most 366 days a call.`,
    sources: [openMeteo],
    input: z.strictObject({
      latitude,
      longitude,
      granularity,
      from_date: day("First day", "1940-01-01"),
      to_date: day("Last day", "1940-01-01"),
    }),
    data: worldHistory,
    records: { kind: "one" },
    example: { latitude: 52.52, longitude: 13.41, from_date: "2024-05-01", to_date: "2024-05-03" },
  }),
  operation({
    id: "weather.world.air_quality",
    method: "GET",
    path: "/weather/world/air-quality",
    summary: "Forecast of the air quality for any position of the world, hour by hour",
    description: off,
    sources: [openMeteo],
    input: z.strictObject({
      latitude,
      longitude,
      days: z.int().min(1).max(7).default(1).describe("Days from today on"),
    }),
    data: airQuality,
    records: { kind: "one" },
    example: { latitude: 52.52, longitude: 13.41 },
  }),
];
