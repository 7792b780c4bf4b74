import { expect, test } from "vitest";
import { countryCode, countryLetters } from "../../../worker/mapping/countries.ts";
import {
  degrees,
  languageTask,
  localityTask,
  locationTask,
} from "../../../worker/mapping/locality.ts";

test.each([
  ["us", { location_code: 2840 }],
  ["DE", { location_code: 2276 }],
  ["xx", { location_name: "xx" }],
  ["Germany", { location_name: "Germany" }],
  ["London,England,United Kingdom", { location_name: "London,England,United Kingdom" }],
  [2826, { location_code: 2826 }],
  ["52.52,13.405", { location_coordinate: "52.52,13.405" }],
  ["-33.9, 151.2, 200", { location_coordinate: "-33.9,151.2,200" }],
  ["52.52,13.405,14z", { location_coordinate: "52.52,13.405,14z" }],
  ["52.520008123,-0.000000456", { location_coordinate: "52.5200081,-0.0000005" }],
])("location %j is sent as %j", (location, expected) => {
  expect(locationTask(location)).toEqual(expected);
});

test.each([
  ["en", { language_code: "en" }],
  ["pt-BR", { language_code: "pt-BR" }],
  ["zh-Hans", { language_code: "zh-Hans" }],
  ["fil", { language_code: "fil" }],
  ["EN-GB", { language_code: "EN-GB" }],
  ["German", { language_name: "German" }],
  ["Lao", { language_name: "Lao" }],
])("language %s is sent as %j", (language, expected) => {
  expect(languageTask(language)).toEqual(expected);
});

test("degrees are plain digits, at most seven of them behind the point", () => {
  expect([5e-7, 1e-9, -1e-9, 120, -33.9].map(degrees)).toEqual([
    "0.0000005",
    "0",
    "0",
    "120",
    "-33.9",
  ]);
});

test("both together, and countries in both directions", () => {
  expect(localityTask({ location: "gb", language: "en" })).toEqual({
    location_code: 2826,
    language_code: "en",
  });
  expect(countryCode("Jp")).toBe(2392);
  expect(countryCode("uk")).toBeUndefined();
  expect(countryLetters(2004)).toBe("af");
  expect(countryLetters(1023191)).toBeUndefined();
});
