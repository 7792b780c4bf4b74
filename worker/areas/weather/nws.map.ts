import type {
  WeatherAlert,
  WeatherForecast,
  WeatherObservation,
  WeatherStation,
} from "../../../contract/areas/weather/records.ts";
import { type Wire, at, boolean, defined, each, need, number, object, rows, text } from "#wire";

const word = (value: unknown) => text(value)?.toLowerCase();

export function alert(feature: Wire): WeatherAlert {
  const row = need(object(feature.properties), "properties");
  return defined({
    id: need(text(row.id), "properties.id"),
    event: need(text(row.event), "properties.event"),
    headline: text(row.headline),
    description: text(row.description),
    instruction: text(row.instruction),
    severity: word(row.severity),
    certainty: word(row.certainty),
    urgency: word(row.urgency),
    areas: text(row.areaDesc),
    zone_codes: each(at(row, "geocode", "UGC"), text),
    sender: text(row.senderName),
    sent_at: text(row.sent),
    starts_at: text(row.onset) ?? text(row.effective),
    ends_at: text(row.ends),
    expires_at: text(row.expires),
  });
}

/** Cell of the grid that holds a position. */
export function cell(body: unknown) {
  const row = need(object(at(body, "properties")), "properties");
  const path = /\/gridpoints\/[A-Z]{3}\/\d{1,4},\d{1,4}$/.exec(
    text(row.forecastGridData) ?? "",
  )?.[0];
  return {
    path: need(path, "forecastGridData"),
    city: text(at(row, "relativeLocation", "properties", "city")),
    state: text(at(row, "relativeLocation", "properties", "state")),
    time_zone: text(row.timeZone),
  };
}

/** A value with its unit in the usual one; undefined for a unit that is not known. */
function inUnit(quantity: unknown, units: Readonly<Record<string, (value: number) => number>>) {
  const value = number(at(quantity, "value"));
  // `unit:degC` and `wmoUnit:degC` are the same unit.
  const unit = text(at(quantity, "unitCode"))?.replace(/^\w+:/, "") ?? "";
  const convert = Object.hasOwn(units, unit) ? units[unit] : undefined;
  return value === undefined || !convert ? undefined : Number(convert(value).toFixed(2));
}

const same = (value: number) => value;
const celsius = { degC: same, degF: (value: number) => ((value - 32) * 5) / 9 };
const percent = { percent: same };
const kilometresPerHour = { "km_h-1": same, "m_s-1": (value: number) => value * 3.6 };
const degrees = { "degree_(angle)": same };
const pascals = { Pa: same };
const metres = { m: same };

/** Speeds of a forecast are texts: `5 to 10 km/h`. */
const inKilometres = (value: unknown) => {
  const speed = text(value);
  return speed?.endsWith("km/h") === true ? speed : undefined;
};

export function forecast(where: ReturnType<typeof cell>, body: unknown): WeatherForecast {
  const { city, state, time_zone } = where;
  return defined({
    city,
    state,
    time_zone,
    updated_at: text(at(body, "properties", "updateTime")),
    periods: rows(at(body, "properties", "periods"), "periods", (row) =>
      defined({
        name: text(row.name),
        start: need(text(row.startTime), "periods.startTime"),
        end: text(row.endTime),
        is_daytime: boolean(row.isDaytime),
        temperature: inUnit(
          { value: row.temperature, unitCode: `unit:deg${text(row.temperatureUnit)}` },
          celsius,
        ),
        dew_point: inUnit(row.dewpoint, celsius),
        humidity: inUnit(row.relativeHumidity, percent),
        precipitation_probability: inUnit(row.probabilityOfPrecipitation, percent),
        wind_speed: inKilometres(row.windSpeed),
        wind_direction: text(row.windDirection),
        summary: text(row.shortForecast),
        description: text(row.detailedForecast),
      }),
    ),
  });
}

export function station(feature: Wire): WeatherStation {
  const row = need(object(feature.properties), "properties");
  return defined({
    id: need(text(row.stationIdentifier), "stationIdentifier"),
    name: text(row.name),
    latitude: need(number(at(feature, "geometry", "coordinates", 1)), "coordinates[1]"),
    longitude: need(number(at(feature, "geometry", "coordinates", 0)), "coordinates[0]"),
    elevation: inUnit(row.elevation, metres),
    time_zone: text(row.timeZone),
  });
}

export function observation(station_id: string, body: unknown): WeatherObservation {
  const row = need(object(at(body, "properties")), "properties");
  return defined({
    station_id,
    observed_at: need(text(row.timestamp), "properties.timestamp"),
    summary: text(row.textDescription),
    temperature: inUnit(row.temperature, celsius),
    dew_point: inUnit(row.dewpoint, celsius),
    humidity: inUnit(row.relativeHumidity, percent),
    wind_speed: inUnit(row.windSpeed, kilometresPerHour),
    wind_gust: inUnit(row.windGust, kilometresPerHour),
    wind_direction: inUnit(row.windDirection, degrees),
    pressure: inUnit(row.barometricPressure, pascals),
    visibility: inUnit(row.visibility, metres),
    raw_report: text(row.rawMessage),
  });
}
