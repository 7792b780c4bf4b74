import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";

const quantity = (unitCode: string, value: number | null) => ({ unitCode, value });

const alerts = ({ query, empty }: SampleRequest) => ({
  type: "FeatureCollection",
  features: Array.from({ length: empty ? 0 : 5 }, (_, index) => {
    const v = vary("alert", `${query?.area} ${query?.point}`, index);
    const id = `urn:oid:2.49.0.1.840.0.${v.digits("id", 12)}`;
    return {
      id: `https://api.weather.gov/alerts/${id}`,
      type: "Feature",
      geometry: null,
      properties: {
        id,
        areaDesc: `${v.pick("area", words)} coast; ${v.pick("other", words)} hills`,
        geocode: { UGC: ["ORZ001", "ORZ004"], SAME: ["041007"] },
        sent: "2026-05-04T13:34:00-07:00",
        effective: "2026-05-04T13:34:00-07:00",
        onset: index % 2 === 0 ? "2026-05-04T18:00:00-07:00" : null,
        expires: "2026-05-05T05:30:00-07:00",
        ends: "2026-05-06T10:00:00-07:00",
        status: "Actual",
        messageType: "Update",
        severity: "Severe",
        certainty: "Possible",
        urgency: "Future",
        event: "Flood Watch",
        senderName: "NWS Sample OR",
        headline: "Flood Watch issued May 4",
        description: `Rain of ${v.int("rain", 2, 9)} inches.`,
        instruction: "Be prepared to act.",
      },
    };
  }),
});

const points = ({ parts }: SampleRequest) => ({
  type: "Feature",
  properties: {
    gridId: "TAE",
    forecastGridData: `https://api.weather.gov/gridpoints/TAE/${vary("cell", parts.point as string).int("x", 1, 99)},65`,
    relativeLocation: { type: "Feature", properties: { city: "Sampleton", state: "FL" } },
    timeZone: "America/New_York",
  },
});

const forecast =
  (hours: number) =>
  ({ parts, empty }: SampleRequest) => ({
    properties: {
      units: "si",
      updateTime: "2026-05-04T18:16:20+00:00",
      periods: Array.from({ length: empty ? 0 : 4 }, (_, index) => {
        const v = vary("forecast", parts.cell as string, hours, index);
        const hour = (one: number) => `2026-05-05T${String(one % 24).padStart(2, "0")}:00:00-04:00`;
        return {
          number: index + 1,
          name: hours === 1 ? "" : index % 2 === 0 ? "Today" : "Tonight",
          startTime: hour(index * hours),
          endTime: hour((index + 1) * hours),
          isDaytime: index % 2 === 0,
          temperature: v.int("temperature", -10, 35),
          temperatureUnit: "C",
          probabilityOfPrecipitation: quantity("wmoUnit:percent", v.int("rain", 0, 100)),
          dewpoint: quantity("wmoUnit:degC", v.int("dew", -10, 20)),
          relativeHumidity: quantity("wmoUnit:percent", v.int("humidity", 20, 99)),
          windSpeed: `${v.int("wind", 1, 40)} km/h`,
          windDirection: "SSW",
          shortForecast: "Mostly Clear",
          detailedForecast: hours === 1 ? "" : "Mostly clear, with a low around 20.",
        };
      }),
    },
  });

const stations = ({ parts, empty }: SampleRequest) => ({
  type: "FeatureCollection",
  features: Array.from({ length: empty ? 0 : 5 }, (_, index) => {
    const v = vary("station", parts.cell as string, index);
    return {
      type: "Feature",
      geometry: {
        type: "Point",
        coordinates: [-80 - v.int("lon", 0, 9) - 0.25, 26 + v.int("lat", 0, 9) + 0.5],
      },
      properties: {
        elevation: quantity("wmoUnit:m", v.int("elevation", 1, 900)),
        stationIdentifier: `KS${String(index).padStart(2, "0")}`,
        name: `${v.pick("name", words)} airport`,
        timeZone: "America/New_York",
      },
    };
  }),
});

const observation = ({ parts }: SampleRequest) => {
  const v = vary("observation", parts.station as string);
  return {
    type: "Feature",
    properties: {
      station: `https://api.weather.gov/stations/${parts.station}`,
      timestamp: "2026-05-04T23:53:00+00:00",
      rawMessage: `${parts.station} 042353Z 02004KT 10SM FEW026`,
      textDescription: "Mostly Cloudy",
      temperature: quantity("wmoUnit:degC", v.int("temperature", -10, 35) + 0.5),
      dewpoint: quantity("wmoUnit:degC", v.int("dew", -10, 20)),
      windDirection: quantity("wmoUnit:degree_(angle)", v.int("direction", 0, 359)),
      windSpeed: quantity("wmoUnit:km_h-1", v.int("wind", 1, 40)),
      windGust: quantity("wmoUnit:km_h-1", v.int("gust", 41, 80)),
      barometricPressure: quantity("wmoUnit:Pa", v.int("pressure", 99_000, 103_000)),
      visibility: quantity("wmoUnit:m", v.int("visibility", 100, 16_000)),
      relativeHumidity: quantity("wmoUnit:percent", v.int("humidity", 20, 99)),
    },
  };
};

/** Sample answers of the National Weather Service, written for this project. */
export const nws: Samples = {
  upstream: "nws",
  answers: {
    "GET /alerts/active": alerts,
    "GET /points/{point}": points,
    "GET /gridpoints/{office}/{cell}/forecast": forecast(12),
    "GET /gridpoints/{office}/{cell}/forecast/hourly": forecast(1),
    "GET /gridpoints/{office}/{cell}/stations": stations,
    "GET /stations/{station}/observations/latest": observation,
  },
  faults: {
    not_found: { status: 404, body: { title: "Not Found", status: 404 } },
    upstream_error: { status: 400, body: { title: "Bad Request", status: 400 } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
