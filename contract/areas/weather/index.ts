import * as z from "zod";
import { day, id, page, perPage } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import {
  earthquake,
  weatherAlert,
  weatherForecast,
  weatherObservation,
  weatherStation,
} from "./records.ts";
import { worldOperations } from "./world.ts";

const nws: Source = {
  name: "US National Weather Service",
  url: "https://www.weather.gov",
  licence: "open data",
  terms: "https://www.weather.gov/documentation/services-web-api",
};
const usgs: Source = {
  name: "US Geological Survey",
  url: "https://earthquake.usgs.gov",
  licence: "terms of use",
  terms: "https://earthquake.usgs.gov/fdsnws/event/1/",
};

const latitude = z.number().min(-90).max(90).describe("Degrees of latitude");
const longitude = z.number().min(-180).max(180).describe("Degrees of longitude");
const limit = (most: number, usual: number) =>
  z.int().min(1).max(most).default(usual).describe("Most records to return");
const list = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: (input: { limit: number }) => input.limit,
} as const;
const magnitude = (description: string) => z.number().min(-2).max(12).describe(description);

export const weather = area({
  name: "weather",
  summary: "Weather of the United States and of the world, air quality, and earthquakes",
  pool: "social",
  operations: [
    operation({
      id: "weather.alerts",
      method: "GET",
      path: "/weather/alerts",
      summary: "Alerts in force for a state, a position or all of the United States",
      sources: [nws],
      input: z.strictObject({
        state: z
          .string()
          .regex(/^[A-Za-z]{2}$/, { message: "must be a state's code of two letters" })
          .toUpperCase()
          .optional()
          .describe("Only this state or sea area, by its two letters"),
        latitude: latitude.optional().describe("Only alerts for a position; with `longitude`"),
        longitude: longitude.optional().describe("Only alerts for a position; with `latitude`"),
        limit: limit(500, 50),
      }),
      data: z.array(weatherAlert),
      records: list,
      example: { state: "OR", limit: 3 },
    }),
    operation({
      id: "weather.forecast",
      method: "GET",
      path: "/weather/forecast",
      summary: "The forecast for a position in the United States, for a week",
      description: "A position outside of the United States and its territories is `not_found`.",
      sources: [nws],
      input: z.strictObject({
        latitude,
        longitude,
        granularity: z
          .enum(["half_daily", "hourly"])
          .default("half_daily")
          .describe("Span of each period"),
      }),
      data: weatherForecast,
      records: { kind: "one", isNone: ({ periods }) => periods.length === 0 },
      example: { latitude: 30.02, longitude: -84.98 },
    }),
    operation({
      id: "weather.stations",
      method: "GET",
      path: "/weather/stations",
      summary: "Weather stations near a position in the United States, nearest first",
      sources: [nws],
      input: z.strictObject({ latitude, longitude, limit: limit(50, 10) }),
      data: z.array(weatherStation),
      records: list,
      example: { latitude: 30.02, longitude: -84.98, limit: 3 },
    }),
    operation({
      id: "weather.observation",
      method: "GET",
      path: "/weather/stations/{station}/observation",
      summary: "The latest observation of a weather station",
      sources: [nws],
      input: z.strictObject({
        station: id(
          /^[A-Z0-9]{3,10}$/,
          "Station",
          "3 to 10 letters or digits, such as KFLL",
          (given) => given.trim().toUpperCase(),
        ),
      }),
      data: weatherObservation,
      records: { kind: "one" },
      example: { station: "KSMP" },
    }),
    operation({
      id: "weather.earthquakes.search",
      method: "GET",
      path: "/weather/earthquakes",
      summary: "Earthquakes of the world by time, strength and place",
      description: "The source shows at most the first 20,000 of a search.",
      sources: [usgs],
      input: z.strictObject({
        from_date: day("First day in UTC; 30 days ago by default", "1900-01-01").optional(),
        to_date: day("Last day in UTC; today by default", "1900-01-01").optional(),
        min_magnitude: magnitude("Least magnitude").optional(),
        max_magnitude: magnitude("Greatest magnitude").optional(),
        south: latitude.optional().describe("Southern border in degrees of latitude"),
        north: latitude.optional().describe("Northern border in degrees of latitude"),
        west: longitude.optional().describe("Western border in degrees of longitude"),
        east: longitude.optional().describe("Eastern border in degrees of longitude"),
        sort: z
          .enum(["newest", "oldest", "strongest", "weakest"])
          .default("newest")
          .describe("Order of the earthquakes"),
        ...page({ most: 500, default: 50 }),
      }),
      data: z.array(earthquake),
      paginated: true,
      records: perPage,
      example: { from_date: "2026-05-01", to_date: "2026-05-02", min_magnitude: 4, limit: 5 },
    }),
    operation({
      id: "weather.earthquakes.get",
      method: "GET",
      path: "/weather/earthquakes/{id}",
      summary: "One earthquake",
      sources: [usgs],
      input: z.strictObject({
        id: id(
          /^[a-z]{2}[a-z0-9_]{2,30}$/,
          "Earthquake",
          "its id, 4 to 32 letters, digits or `_`, such as us7000ngmr",
        ),
      }),
      data: earthquake,
      records: { kind: "one" },
      example: { id: "us7000smpl" },
    }),
    ...worldOperations,
  ],
});
