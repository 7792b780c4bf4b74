import { expect, test } from "vitest";
import { airQuality, world } from "../../../worker/areas/weather/open-meteo.map.ts";
import { openMeteoArchive as bundled } from "../../../worker/areas/weather/samples/open-meteo.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import {
  openMeteo,
  openMeteoAirQuality,
  openMeteoArchive,
} from "../../../worker/upstreams/open-meteo/client.ts";
import { ShapeError } from "#wire";
import { ask } from "../answering.ts";
import { play } from "../play.ts";

const place = {
  latitude: 52.3,
  longitude: 6.9,
  utc_offset_seconds: 7200,
  timezone: "Europe/Amsterdam",
};
const hourly = {
  time: ["2026-10-03T00:00", "2026-10-03T01:00"],
  temperature_2m: [5.8, null],
  pressure_msl: [1030.4, null],
  is_day: [0, 1],
};

test("weather surprise 7: values stand beside a list of times, and a missing one is null", () => {
  expect(world({ ...place, hourly }).hours).toEqual([
    { time: "2026-10-03T00:00:00+02:00", temperature: 5.8, pressure: 103_040, is_daytime: false },
    { time: "2026-10-03T01:00:00+02:00", is_daytime: true },
  ]);
  const air = { time: hourly.time, pm2_5: [20.5, 20], us_aqi: [60, null] };
  expect(airQuality({ ...place, hourly: air }).hours).toEqual([
    { time: "2026-10-03T00:00:00+02:00", us_aqi: 60, pm2_5: 20.5 },
    { time: "2026-10-03T01:00:00+02:00", pm2_5: 20 },
  ]);
  expect(() => airQuality(place)).toThrow(ShapeError);
});

test("weather surprise 8: one offset holds for the whole answer", () => {
  const daily = { time: ["2026-05-04"], sunrise: ["2026-05-04T05:43"] };
  const rises = (seconds: number) =>
    world({ ...place, utc_offset_seconds: seconds, daily }).days[0]?.sunrise;
  expect([7200, 0, -12_600, 20_700].map(rises)).toEqual([
    "2026-05-04T05:43:00+02:00",
    "2026-05-04T05:43:00+00:00",
    "2026-05-04T05:43:00-03:30",
    "2026-05-04T05:43:00+05:45",
  ]);
  expect(() => world({ latitude: 1, longitude: 2, daily })).toThrow(ShapeError);
});

test("weather surprise 9: pressure is in pascals", () => {
  expect(world({ ...place, hourly }).hours[0]?.pressure).toBe(103_040);
});

test("weather surprise 10: the position is that of the model's cell", () => {
  expect(world({ ...place, elevation: 29 })).toEqual({
    latitude: 52.3,
    longitude: 6.9,
    elevation: 29,
    time_zone: "Europe/Amsterdam",
    days: [],
    hours: [],
  });
});

test("a position is sent in plain digits", async () => {
  const input = { latitude: 0.0000005, longitude: -0.00000001 };
  for (const id of ["weather.world.forecast", "weather.world.air_quality"]) {
    const { asked } = await ask(id, input, () => ({ body: {} }));
    expect(asked[0]?.query, id).toMatchObject({ latitude: "0.0000005", longitude: "0" });
  }
});

test("weather surprise 14: a sun that does not rise has no sunrise", () => {
  const day = (sunrise: string, sunset: string) => {
    const daily = { time: ["2026-06-21"], sunrise: [sunrise], sunset: [sunset] };
    return world({ ...place, daily }).days[0];
  };
  for (const never of ["1970-01-01T00:00", "1970-01-01T02:00", "1969-12-31T20:00"]) {
    expect(day(never, never), never).toEqual({ date: "2026-06-21" });
  }
  expect(day("2026-06-21T01:09", "2026-06-22T00:41")).toEqual({
    date: "2026-06-21",
    sunrise: "2026-06-21T01:09:00+02:00",
    sunset: "2026-06-22T00:41:00+02:00",
  });
});

test("past weather has no probabilities, and a span has an end", async () => {
  let query: SampleRequest["query"];
  const list = bundled.answers["GET /v1/archive"] as (request: SampleRequest) => unknown;
  const answers = {
    "GET /v1/archive": (request: SampleRequest) => {
      ({ query } = request);
      return list(request);
    },
  };
  const input = { latitude: 1, longitude: 2, from_date: "2024-02-28", to_date: "2024-03-01" };
  const samples = [{ ...bundled, answers }];
  const played = await play("weather.world.history", input, { samples });
  expect(played).toMatchObject({ ok: true, data: { days: [{}, {}, {}], hours: [] } });
  expect(query?.daily).not.toContain("probability");
  expect(query).toMatchObject({ start_date: "2024-02-28", end_date: "2024-03-01" });
  for (const wrong of [{ to_date: "2024-02-27" }, { to_date: "2025-02-28" }]) {
    const refused = await play("weather.world.history", { ...input, ...wrong });
    expect(refused, wrong.to_date).toMatchObject({ ok: false, type: "validation_error" });
  }
});

test("weather surprise 13: days that the archive does not have are the caller's", () => {
  const judged = (reason: string) =>
    openMeteoArchive.judge({ status: 400, headers: {}, body: { error: true, reason } });
  const beyond = (name: string) =>
    judged(`Parameter '${name}' is out of allowed range from 1940-01-01 to 2026-11-29`);
  const wrong = { type: "validation_error" };
  expect(beyond("start_date")).toMatchObject({ ...wrong, field: "from_date" });
  expect(beyond("end_date")).toMatchObject({ ...wrong, field: "to_date" });
  expect(judged("Cannot initialize")).toMatchObject({ type: "upstream_error" });
});

test("Open-Meteo is off until the operator says that its terms allow their use", () => {
  for (const upstream of [openMeteo, openMeteoArchive, openMeteoAirQuality]) {
    expect(upstream.credentials).toEqual(["OPEN_METEO_TERMS"]);
    expect(upstream).not.toHaveProperty("credentialQuery");
    expect(upstream).not.toHaveProperty("authorize");
  }
});

test("Open-Meteo counts more than ten values, and more than two weeks, as several calls", async () => {
  const unitsOf = async (input: Record<string, unknown>, id = "weather.world.history") => {
    const requests: SampleRequest[] = [];
    const noted = Object.entries(bundled.answers).map(([path, sample]) => [
      path,
      (request: SampleRequest) => {
        requests.push(request);
        return sample(request);
      },
    ]);
    await play(id, input, { samples: [{ ...bundled, answers: Object.fromEntries(noted) }] });
    const [{ path = "", query = {} } = {}] = requests as Partial<SampleRequest>[];
    return openMeteoArchive.units?.({ path, query });
  };
  const here = { latitude: 52.5, longitude: 13.4 };
  const fortnight = { ...here, from_date: "2025-03-01", to_date: "2025-03-14" };
  expect(await unitsOf({ ...fortnight, granularity: "daily" })).toBe(1);
  expect(await unitsOf({ ...fortnight, granularity: "hourly" })).toBeCloseTo(1.2);
  const year = { ...here, from_date: "2024-01-01", to_date: "2024-12-31" };
  expect(await unitsOf({ ...year, granularity: "hourly" })).toBeCloseTo(31.37, 1);
  expect(
    openMeteo.units?.({ path: "/v1/forecast", query: { hourly: "a,b", forecast_days: 16 } }),
  ).toBeCloseTo(16 / 14);
  const { perSecond = 0, burst = 0 } = openMeteo.limits ?? {};
  expect(perSecond * 60 + burst).toBeLessThanOrEqual(600);
  expect(perSecond * 3600 + burst).toBeLessThanOrEqual(5000);
});
