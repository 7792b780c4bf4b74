import type { AirQuality, WorldForecast } from "../../../contract/areas/weather/world.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  defined,
  integer,
  need,
  number,
  object,
  rows,
  text,
} from "#wire";

/** The members of hours and days that the requests name, and their names in the records. */
export const hourly = {
  temperature: "temperature_2m",
  apparent_temperature: "apparent_temperature",
  dew_point: "dew_point_2m",
  humidity: "relative_humidity_2m",
  precipitation: "precipitation",
  precipitation_probability: "precipitation_probability",
  cloud_cover: "cloud_cover",
  pressure: "pressure_msl",
  wind_speed: "wind_speed_10m",
  wind_gust: "wind_gusts_10m",
  wind_direction: "wind_direction_10m",
  is_daytime: "is_day",
  weather_code: "weather_code",
} as const;

export const daily = {
  temperature_max: "temperature_2m_max",
  temperature_min: "temperature_2m_min",
  precipitation: "precipitation_sum",
  precipitation_probability: "precipitation_probability_max",
  wind_speed: "wind_speed_10m_max",
  wind_gust: "wind_gusts_10m_max",
  wind_direction: "wind_direction_10m_dominant",
  sunrise: "sunrise",
  sunset: "sunset",
  weather_code: "weather_code",
} as const;

export const air = {
  us_aqi: "us_aqi",
  european_aqi: "european_aqi",
  pm10: "pm10",
  pm2_5: "pm2_5",
  carbon_monoxide: "carbon_monoxide",
  nitrogen_dioxide: "nitrogen_dioxide",
  sulphur_dioxide: "sulphur_dioxide",
  ozone: "ozone",
  dust: "dust",
  uv_index: "uv_index",
} as const;

/** One offset holds for the whole answer, also where summer time begins in it. */
function offsetOf(body: unknown): string {
  const seconds = need(integer(at(body, "utc_offset_seconds")), "utc_offset_seconds");
  const minutes = Math.abs(Math.trunc(seconds / 60));
  const pad = (value: number) => String(value).padStart(2, "0");
  return `${seconds < 0 ? "-" : "+"}${pad(Math.trunc(minutes / 60))}:${pad(minutes % 60)}`;
}

/** Times have neither seconds nor an offset: `2026-05-04T10:00`. */
const moment = (value: unknown, offset: string) => {
  const local = text(value);
  return local !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(local)
    ? `${local}:00${offset}`
    : undefined;
};

const dayMs = 86_400_000;

/** Sunrise or sunset of `date`; one that does not happen, near a pole, is the first moment of 1970. */
const sunAt = (value: unknown, date: string, offset: string) => {
  const time = moment(value, offset);
  const apart = Date.parse(time?.slice(0, 10) ?? "") - Date.parse(date);
  return Math.abs(apart) <= dayMs ? time : undefined;
};

const pascals = (value: unknown) => {
  const hectopascals = number(value);
  return hectopascals === undefined ? undefined : Math.round(hectopascals * 100);
};

/** Values stand in lists of their own, beside the list of times: one row for each time. */
function entries<T>(series: unknown, path: string, read: (row: Wire) => T): T[] {
  if (series === undefined) return [];
  const lists = Object.entries(need(object(series), path));
  const times = need(array(at(series, "time")), `${path}.time`);
  const zipped = times.map((_time, index) =>
    Object.fromEntries(lists.map(([name, list]) => [name, array(list)?.[index]])),
  );
  return rows(zipped, path, read);
}

const place = (body: Wire) => ({
  latitude: need(number(body.latitude), "latitude"),
  longitude: need(number(body.longitude), "longitude"),
  elevation: number(body.elevation),
  time_zone: text(body.timezone),
});

/** A forecast or past weather: the latter has no probabilities. */
export function world(answer: unknown): WorldForecast {
  const body = need(object(answer), "forecast");
  const offset = offsetOf(body);
  const hours = entries(body.hourly, "hourly", (row) =>
    defined({
      time: need(moment(row.time, offset), "hourly.time"),
      temperature: number(row[hourly.temperature]),
      apparent_temperature: number(row[hourly.apparent_temperature]),
      dew_point: number(row[hourly.dew_point]),
      humidity: number(row[hourly.humidity]),
      precipitation: number(row[hourly.precipitation]),
      precipitation_probability: number(row[hourly.precipitation_probability]),
      cloud_cover: number(row[hourly.cloud_cover]),
      pressure: pascals(row[hourly.pressure]),
      wind_speed: number(row[hourly.wind_speed]),
      wind_gust: number(row[hourly.wind_gust]),
      wind_direction: number(row[hourly.wind_direction]),
      is_daytime: boolean(row[hourly.is_daytime]),
      weather_code: integer(row[hourly.weather_code]),
    }),
  );
  const days = entries(body.daily, "daily", (row) => {
    const date = need(/^\d{4}-\d\d-\d\d$/.exec(text(row.time) ?? "")?.[0], "daily.time");
    return defined({
      date,
      temperature_max: number(row[daily.temperature_max]),
      temperature_min: number(row[daily.temperature_min]),
      precipitation: number(row[daily.precipitation]),
      precipitation_probability: number(row[daily.precipitation_probability]),
      wind_speed: number(row[daily.wind_speed]),
      wind_gust: number(row[daily.wind_gust]),
      wind_direction: number(row[daily.wind_direction]),
      sunrise: sunAt(row[daily.sunrise], date, offset),
      sunset: sunAt(row[daily.sunset], date, offset),
      weather_code: integer(row[daily.weather_code]),
    });
  });
  return defined({ ...place(body), days, hours });
}

export function airQuality(answer: unknown): AirQuality {
  const body = need(object(answer), "forecast");
  const offset = offsetOf(body);
  const hours = entries(need(object(body.hourly), "hourly"), "hourly", (row) =>
    defined({
      time: need(moment(row.time, offset), "hourly.time"),
      us_aqi: number(row[air.us_aqi]),
      european_aqi: number(row[air.european_aqi]),
      pm10: number(row[air.pm10]),
      pm2_5: number(row[air.pm2_5]),
      carbon_monoxide: number(row[air.carbon_monoxide]),
      nitrogen_dioxide: number(row[air.nitrogen_dioxide]),
      sulphur_dioxide: number(row[air.sulphur_dioxide]),
      ozone: number(row[air.ozone]),
      dust: number(row[air.dust]),
      uv_index: number(row[air.uv_index]),
    }),
  );
  return defined({ ...place(body), hours });
}
