import { expect, test } from "vitest";
import { around, eventPlace } from "../../../worker/areas/events/place.ts";

test.each([
  ["us", { countryCode: "US" }],
  ["United Kingdom", { countryCode: "GB" }],
  [2276, { countryCode: "DE" }],
  [21137, { stateCode: "CA", countryCode: "US" }],
  [1006886, { city: "London", countryCode: "GB" }],
  ["London,England,United Kingdom", { city: "London", countryCode: "GB" }],
  ["Chicago, Illinois, United States", { city: "Chicago", stateCode: "IL", countryCode: "US" }],
  ["California,United States", { stateCode: "CA", countryCode: "US" }],
  ["Berlin", { city: "Berlin" }],
  ["41.9,-87.6", { latlong: "41.9,-87.6", radius: 50, unit: "km" }],
  ["41.9,-87.6,2500", { latlong: "41.9,-87.6", radius: 3, unit: "km" }],
])("%s", (location, place) => {
  expect(eventPlace(location)).toEqual(place);
});

test("an unknown geo code is the caller's fault", () => {
  expect(() => eventPlace(999_999)).toThrow(
    expect.objectContaining({
      type: "validation_error",
      issues: [expect.objectContaining({ in: "body", path: "location" })],
    }) as Error,
  );
  expect(around(0.0000005, 6.7).latlong).toBe("0.0000005,6.7");
  expect(around(0, 0, 1e9).radius).toBeLessThan(20_000);
});
