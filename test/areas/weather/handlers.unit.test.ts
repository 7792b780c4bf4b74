import { expect, test } from "vitest";
import { earthquake } from "../../../worker/areas/weather/earthquakes.map.ts";
import { alert, cell, forecast, observation } from "../../../worker/areas/weather/nws.map.ts";
import { nws as bundled } from "../../../worker/areas/weather/samples/nws.ts";
import { usgs as earthquakes } from "../../../worker/areas/weather/samples/usgs.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { nws } from "../../../worker/upstreams/nws/client.ts";
import { usgs } from "../../../worker/upstreams/usgs/client.ts";
import { ShapeError } from "#wire";
import { ask } from "../answering.ts";
import { issues } from "../input.ts";
import { play, playToEnd } from "../play.ts";

const here = {
  forecastGridData: "https://api.weather.gov/gridpoints/TAE/58,65",
  relativeLocation: { properties: { city: "Sumatra", state: "FL" } },
  timeZone: "America/New_York",
};

test("weather surprise 1: a position leads to its cell, with four decimals", async () => {
  const where = cell({ properties: here });
  expect(where).toEqual({
    path: "/gridpoints/TAE/58,65",
    city: "Sumatra",
    state: "FL",
    time_zone: "America/New_York",
  });
  for (const odd of ["https://api.weather.gov/gridpoints/TAE/58", "/gridpoints/TAE/../65", null]) {
    expect(() => cell({ properties: { ...here, forecastGridData: odd } })).toThrow(ShapeError);
  }
  const asked: string[] = [];
  const answers = {
    "GET /points/{point}": ({ parts }: { parts: Record<string, string> }) => {
      asked.push(parts.point as string);
      return { properties: here };
    },
    "GET /gridpoints/{office}/{cell}/stations": () => ({ features: [] }),
  };
  const input = { latitude: 30.00000049, longitude: -84.98251799 };
  await play("weather.stations", input, { samples: [{ ...bundled, answers }] });
  expect(asked).toEqual(["30,-84.9825"]);
});

const quantity = (unitCode: string, value: unknown) => ({ unitCode, value });

test("weather surprise 2: values in one unit each", () => {
  const properties = {
    timestamp: "2022-03-02T23:53:00+00:00",
    textDescription: "Mostly Cloudy",
    temperature: quantity("unit:degF", 50),
    dewpoint: quantity("wmoUnit:degC", 18.3),
    windSpeed: quantity("unit:m_s-1", 10),
    windGust: quantity("wmoUnit:km_h-1", 7.56),
    windDirection: quantity("wmoUnit:degree_(angle)", 20),
    barometricPressure: quantity("wmoUnit:Pa", 101_860),
    visibility: quantity("wmoUnit:mile", 10),
    relativeHumidity: quantity("wmoUnit:percent", 75.770935807607),
  };
  expect(observation("KFLL", { properties })).toEqual({
    station_id: "KFLL",
    observed_at: "2022-03-02T23:53:00+00:00",
    summary: "Mostly Cloudy",
    temperature: 10,
    dew_point: 18.3,
    wind_speed: 36,
    wind_gust: 7.56,
    wind_direction: 20,
    pressure: 101_860,
    humidity: 75.77,
  });
});

test("weather surprise 3: values that were not measured, and hours without names", () => {
  const period = {
    name: "",
    startTime: "2026-05-05T20:00:00-04:00",
    isDaytime: false,
    temperature: 25.5,
    temperatureUnit: "C",
    probabilityOfPrecipitation: quantity("wmoUnit:percent", null),
    relativeHumidity: quantity("wmoUnit:percent", 63),
    shortForecast: "Partly Cloudy",
    detailedForecast: "",
  };
  const body = (temperatureUnit: string, windSpeed = "5 to 10 km/h") => ({
    properties: {
      updateTime: "2026-05-05T18:16:20+00:00",
      periods: [{ ...period, temperatureUnit, windSpeed }],
    },
  });
  expect(forecast(cell({ properties: here }), body("C"))).toEqual({
    city: "Sumatra",
    state: "FL",
    time_zone: "America/New_York",
    updated_at: "2026-05-05T18:16:20+00:00",
    periods: [
      {
        start: "2026-05-05T20:00:00-04:00",
        is_daytime: false,
        temperature: 25.5,
        humidity: 63,
        wind_speed: "5 to 10 km/h",
        summary: "Partly Cloudy",
      },
    ],
  });
  const [only] = forecast(cell({ properties: here }), body("F", "10 mph")).periods;
  expect(only).toMatchObject({ temperature: -3.61 });
  expect(only).not.toHaveProperty("wind_speed");
});

test("weather surprise 4: an alert begins with its event, or when it was sent", () => {
  const properties = {
    id: "urn:oid:2.49.0.1.840.0.1",
    event: "Flood Watch",
    severity: "Severe",
    areaDesc: "North coast; South hills",
    geocode: { UGC: ["ORZ001"], SAME: ["041007"] },
    effective: "2026-05-04T13:34:00-07:00",
    onset: "2026-05-04T18:00:00-07:00",
    instruction: null,
  };
  expect(alert({ properties })).toEqual({
    id: "urn:oid:2.49.0.1.840.0.1",
    event: "Flood Watch",
    severity: "severe",
    areas: "North coast; South hills",
    zone_codes: ["ORZ001"],
    starts_at: "2026-05-04T18:00:00-07:00",
  });
  const { starts_at } = alert({ properties: { ...properties, onset: null } });
  expect(starts_at).toBe("2026-05-04T13:34:00-07:00");
});

const feature = {
  id: "us7000ngmr",
  properties: {
    mag: 6.3,
    place: "Mauritius - Reunion region",
    time: 1_727_378_368_811,
    updated: 1_727_464_919_721,
    url: "https://earthquake.usgs.gov/earthquakes/eventpage/us7000ngmr",
    felt: null,
    alert: "green",
    status: "reviewed",
    tsunami: 0,
    sig: 611,
    magType: "mww",
    type: "earthquake",
    title: "M 6.3 - Mauritius - Reunion region",
  },
  geometry: { type: "Point", coordinates: [66.5466, -17.1899, 10] },
};

test("weather surprise 5: times in milliseconds, and the longitude first", () => {
  expect(earthquake(feature)).toEqual({
    id: "us7000ngmr",
    title: "M 6.3 - Mauritius - Reunion region",
    place: "Mauritius - Reunion region",
    magnitude: 6.3,
    magnitude_type: "mww",
    type: "earthquake",
    occurred_at: "2024-09-26T19:19:28.811Z",
    updated_at: "2024-09-27T19:21:59.721Z",
    latitude: -17.1899,
    longitude: 66.5466,
    depth: 10,
    review_status: "reviewed",
    alert_level: "green",
    has_tsunami_message: false,
    significance: 611,
    url: "https://earthquake.usgs.gov/earthquakes/eventpage/us7000ngmr",
  });
  const early = { ...feature.properties, time: 9e15 };
  expect(() => earthquake({ ...feature, properties: early })).toThrow(ShapeError);
});

test("weather surprise 6: pages from 1 to the short one", async () => {
  const pages = await playToEnd("weather.earthquakes.search", { limit: 60 });
  expect(pages.map((rows) => rows.length)).toEqual([60, 60, 10]);
});

test("borders are in plain digits, and go on beyond 180 degrees over the antimeridian", async () => {
  const queryOf = async (input: object) => {
    const { asked } = await ask("weather.earthquakes.search", input, () => ({
      body: { features: [] },
    }));
    return asked[0]?.query;
  };
  const box = { south: -0.0000005, north: 0.0000005, west: 170, east: -170.25 };
  expect(await queryOf(box)).toMatchObject({
    minlatitude: "-0.0000005",
    maxlatitude: "0.0000005",
    minlongitude: "170",
    maxlongitude: "189.75",
  });
  expect(await queryOf({ west: -10.5, east: 20 })).toMatchObject({
    minlongitude: "-10.5",
    maxlongitude: "20",
  });
  const only = await queryOf({ east: -170 });
  expect(only).toMatchObject({ minlongitude: undefined, maxlongitude: "-170" });
});

test("the last of the 20,000 earthquakes are shown", async () => {
  const answers = {
    "GET /fdsnws/event/1/query": ({ query }: SampleRequest) => {
      const [offset, limit] = [Number(query?.offset), Number(query?.limit)];
      const ids = Array.from({ length: limit }, (_, index) => `us${offset + index}`);
      return { features: ids.map((id) => ({ ...feature, id })) };
    },
  };
  const samples = [{ ...earthquakes, answers }];
  const pages = await playToEnd<object>("weather.earthquakes.search", { limit: 450 }, { samples });
  expect(pages.map((rows) => rows.length)).toEqual([...Array.from({ length: 44 }, () => 450), 200]);
  expect(pages.at(-1)?.at(-1)).toMatchObject({ id: "us20000" });
});

test("spans, borders and positions that make no sense are refused", async () => {
  for (const [id, input] of [
    ["weather.earthquakes.search", { from_date: "2026-05-02", to_date: "2026-05-01" }],
    ["weather.earthquakes.search", { to_date: "2020-01-31" }],
    ["weather.earthquakes.search", { min_magnitude: 5, max_magnitude: 4 }],
    ["weather.earthquakes.search", { south: 10, north: 5 }],
    ["weather.alerts", { latitude: 30 }],
    ["weather.alerts", { state: "FL", latitude: 30, longitude: -85 }],
  ] as const) {
    expect(await play(id, input), id).toMatchObject({ ok: false, type: "validation_error" });
  }
  expect(issues("weather.observation", { station: "kfll" })).toEqual([]);
  expect(issues("weather.observation", { station: "a/b" })).toEqual(["station"]);
  expect(issues("weather.earthquakes.get", { id: "us7000ngmr" })).toEqual([]);
  expect(issues("weather.earthquakes.get", { id: "7000" })).toEqual(["id"]);
});

test("weather surprise 11: a refused position is not found, and a refused state the caller's", () => {
  const judged = (body: object) => nws.judge({ status: 400, headers: {}, body });
  const outside = {
    title: "Invalid Parameter",
    detail: 'Parameter "point" is invalid: out of bounds',
  };
  expect(judged(outside)).toMatchObject({ type: "not_found" });
  const named = { parameterErrors: [{ parameter: "query.area[0]" }], detail: "Bad Request" };
  for (const body of [named, { detail: "The value provided for 'area' is not valid." }]) {
    expect(judged(body)).toMatchObject({ type: "validation_error", field: "state" });
  }
  expect(judged({ detail: "Bad Request" })).toMatchObject({ type: "upstream_error" });
  expect(nws.judge({ status: 404, headers: {}, body: {} })).toMatchObject({ type: "not_found" });
});

test("weather surprise 12: an earthquake that was withdrawn is not found", () => {
  const judged = (status: number) => usgs.judge({ status, headers: {}, body: undefined });
  expect(judged(409)).toMatchObject({ type: "not_found" });
  expect(judged(400)).toMatchObject({ type: "upstream_error" });
});

test("the id of every found earthquake is taken, those of great ones have a `_`", async () => {
  const feature = (id: string) => ({ id, properties: {}, geometry: null });
  const ids = ["official20110311054624120_30", "us7000ngmr", "iscgem895681"];
  for (const id of ids) {
    const { asked } = await ask("weather.earthquakes.get", { id }, () => ({ body: feature(id) }));
    expect(asked.map(({ query }) => query?.eventid)).toEqual([id]);
  }
  for (const id of ["_us7000ngmr", "us7000ngmr&x=1", "us7000ngmr,us7000ngms", "US7000NGMR"])
    expect(issues("weather.earthquakes.get", { id }), id).toEqual(["id"]);
});
