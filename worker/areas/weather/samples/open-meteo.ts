import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { vary } from "../../../sandbox/vary.ts";

const dayMs = 86_400_000;
const first = Date.parse("2026-05-04T00:00:00Z");
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Values that are not figures of one decimal. */
const special: Readonly<Record<string, (index: number, day: string) => unknown>> = {
  is_day: (index) => (index % 24 > 5 && index % 24 < 21 ? 1 : 0),
  weather_code: (index) => [0, 3, 61, 95][index % 4],
  sunrise: (_index, day) => `${day}T05:43`,
  sunset: (_index, day) => `${day}T20:51`,
};

function series(names: string, times: readonly string[], seed: string) {
  const v = vary("open-meteo", seed);
  const listed = names.split(",").map((name) => [
    name,
    times.map((time, index) =>
      special[name]
        ? special[name](index, time.slice(0, 10))
        : // Pressures are near 1,000 hectopascals.
          v.int(`${name} ${index}`, 10, 300) / 10 + (name === "pressure_msl" ? 995 : 0),
    ),
  ]);
  return { time: times, ...Object.fromEntries(listed) };
}

function answer({ query }: SampleRequest) {
  const start = query?.start_date === undefined ? first : Date.parse(String(query.start_date));
  const end = query?.end_date === undefined ? undefined : Date.parse(String(query.end_date));
  const length = end === undefined ? Number(query?.forecast_days) : (end - start) / dayMs + 1;
  const days = Array.from({ length }, (_, index) => dayOf(start + index * dayMs));
  const hours = days.flatMap((day) =>
    Array.from({ length: 24 }, (_, hour) => `${day}T${String(hour).padStart(2, "0")}:00`),
  );
  const { latitude, longitude } = query ?? {};
  const seed = `${latitude} ${longitude}`;
  return {
    latitude: Number(latitude),
    longitude: Number(longitude),
    generationtime_ms: 1.5,
    utc_offset_seconds: 7200,
    timezone: "Europe/Berlin",
    timezone_abbreviation: "GMT+2",
    elevation: 38,
    ...(query?.hourly === undefined ? {} : { hourly: series(String(query.hourly), hours, seed) }),
    ...(query?.daily === undefined ? {} : { daily: series(String(query.daily), days, seed) }),
  };
}

const samples = (upstream: string, path: string): Samples => ({
  upstream,
  answers: { [`GET ${path}`]: answer },
  faults: {
    not_found: { status: 404, body: { error: true, reason: "Not Found" } },
    upstream_error: { status: 400, body: { error: true, reason: "Sample fault" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
});

/** Sample answers of Open-Meteo, written for this project. */
export const openMeteo = samples("open-meteo", "/v1/forecast");
export const openMeteoArchive = samples("open-meteo-archive", "/v1/archive");
export const openMeteoAirQuality = samples("open-meteo-air-quality", "/v1/air-quality");
