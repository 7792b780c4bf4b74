import * as z from "zod";

export const weatherAlert = z
  .object({
    id: z.string(),
    event: z.string().describe("Kind of alert: Flood Watch, Tornado Warning, …"),
    headline: z.string().optional().describe("The alert in a line"),
    description: z.string().optional(),
    instruction: z.string().optional(),
    severity: z.string().optional().describe("extreme, severe, moderate, minor or unknown"),
    certainty: z.string().optional().describe("observed, likely, possible, unlikely or unknown"),
    urgency: z.string().optional().describe("immediate, expected, future, past or unknown"),
    areas: z.string().optional(),
    zone_codes: z.array(z.string()),
    sender: z.string().optional(),
    sent_at: z.string().optional(),
    starts_at: z.string().optional(),
    ends_at: z.string().optional(),
    expires_at: z.string().optional(),
  })
  .meta({ id: "WeatherAlert" });

const celsius = z.number().describe("Temperature in degrees Celsius");
const dewPoint = z.number().describe("Dew point in degrees Celsius");
const percent = z.number().describe("Relative humidity in percent");

export const weatherForecast = z
  .object({
    city: z.string().optional().describe("Nearest city"),
    state: z.string().optional().describe("State of the city, by its two letters"),
    time_zone: z.string().optional(),
    updated_at: z.string().optional().describe("When the forecast was made"),
    periods: z.array(
      z.object({
        name: z.string().optional().describe("Tonight, Monday, …; absent for hours"),
        start: z.string().describe("Beginning, ISO 8601 with its offset"),
        end: z.string().optional().describe("End, ISO 8601 with its offset"),
        is_daytime: z.boolean().optional(),
        temperature: celsius.optional(),
        dew_point: dewPoint.optional(),
        humidity: percent.optional(),
        precipitation_probability: z.number().optional(),
        wind_speed: z.string().optional().describe("Speed in km/h, or a range: 5 to 10 km/h"),
        wind_direction: z.string().optional().describe("Where the wind comes from: N, SSW, …"),
        summary: z.string().optional().describe("The weather in a few words"),
        description: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "WeatherForecast" });

export const weatherStation = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    latitude: z.number(),
    longitude: z.number(),
    elevation: z.number().optional().describe("Metres above the sea"),
    time_zone: z.string().optional(),
  })
  .meta({ id: "WeatherStation" });

export const weatherObservation = z
  .object({
    station_id: z.string(),
    observed_at: z.string(),
    summary: z.string().optional().describe("The weather in a few words"),
    temperature: celsius.optional(),
    dew_point: dewPoint.optional(),
    humidity: percent.optional(),
    wind_speed: z.number().optional().describe("Speed in km/h"),
    wind_gust: z.number().optional().describe("Speed of gusts in km/h"),
    wind_direction: z.number().optional().describe("Degrees from which the wind comes"),
    pressure: z.number().optional().describe("Pressure in pascals"),
    visibility: z.number().optional().describe("How far one sees, in metres"),
    raw_report: z.string().optional(),
  })
  .meta({ id: "WeatherObservation" });

export const earthquake = z
  .object({
    id: z.string(),
    title: z.string().optional(),
    place: z.string().optional().describe("Where it was, by the nearest town"),
    magnitude: z.number().optional(),
    magnitude_type: z.string().optional(),
    type: z.string().optional().describe("earthquake, quarry blast, …"),
    occurred_at: z.string(),
    updated_at: z.string().optional(),
    latitude: z.number(),
    longitude: z.number(),
    depth: z.number().optional().describe("Depth in kilometres"),
    review_status: z.string().optional().describe("automatic or reviewed"),
    alert_level: z.string().optional().describe("green, yellow, orange or red"),
    has_tsunami_message: z.boolean().optional(),
    felt_count: z.int().min(0).optional(),
    significance: z.int().optional(),
    url: z.string().optional(),
  })
  .meta({ id: "Earthquake" });

export type WeatherAlert = z.output<typeof weatherAlert>;
export type WeatherForecast = z.output<typeof weatherForecast>;
export type WeatherStation = z.output<typeof weatherStation>;
export type WeatherObservation = z.output<typeof weatherObservation>;
export type Earthquake = z.output<typeof earthquake>;
