import { countryCode } from "./countries.ts";

/** Location fields of a DataForSEO task. */
export type LocationTask =
  | { location_code: number }
  | { location_name: string }
  | { location_coordinate: string };

export type LanguageTask = { language_code: string } | { language_name: string };

const coordinateRule = /^-?\d{1,3}(\.\d{1,15})?,-?\d{1,3}(\.\d{1,15})?(,\d{1,7}(\.\d{1,3})?z?)?$/;
/** Two letters in any case; three with a capital first letter are a name, such as Lao. */
const languageCodeRule = /^([A-Za-z]{2}|[a-z]{3}|[A-Z]{3})(-[A-Za-z0-9]{2,4})?$/;

/** True for "lat,lng" with an optional radius or zoom behind it. */
export function isCoordinate(location: string | number): boolean {
  return typeof location === "string" && coordinateRule.test(location.replaceAll(" ", ""));
}

/** More decimals are refused. */
const decimals = 7;

/** A latitude or longitude in plain digits: an exponent would be read as no coordinate. */
export function degrees(value: number): string {
  const plain = value.toFixed(decimals).replace(/\.?0+$/, "");
  return plain === "-0" ? "0" : plain;
}

/** "lat,lng" with what follows it. */
function coordinateOf(location: string): string {
  const [latitude, longitude, ...rest] = location.replaceAll(" ", "").split(",");
  return [degrees(Number(latitude)), degrees(Number(longitude)), ...rest].join(",");
}

/** A caller's `location` in DataForSEO's form. */
export function locationTask(location: string | number): LocationTask {
  if (typeof location === "number") return { location_code: location };
  if (isCoordinate(location)) return { location_coordinate: coordinateOf(location) };
  const code = location.length === 2 ? countryCode(location) : undefined;
  return code === undefined ? { location_name: location } : { location_code: code };
}

/** A caller's `language` in DataForSEO's form. */
export function languageTask(language: string): LanguageTask {
  return languageCodeRule.test(language)
    ? { language_code: language }
    : { language_name: language };
}

export function localityTask(input: {
  location: string | number;
  language: string;
}): LocationTask & LanguageTask {
  return { ...locationTask(input.location), ...languageTask(input.language) };
}
