import { invalid } from "../../../contract/errors.ts";
import { countryCode, countryLetters } from "../../mapping/countries.ts";
import { degrees, isCoordinate } from "../../mapping/locality.ts";

/** Location parameters of Ticketmaster. */
export interface EventPlace {
  city?: string;
  stateCode?: string | undefined;
  countryCode?: string;
  latlong?: string;
  radius?: number;
  unit?: "km";
}

/** States of the USA with their geo codes, as search engines use them. */
const states = `
  21132 AK Alaska; 21133 AL Alabama; 21135 AR Arkansas; 21136 AZ Arizona; 21137 CA California;
  21138 CO Colorado; 21139 CT Connecticut; 21140 DC District of Columbia; 21141 DE Delaware;
  21142 FL Florida; 21143 GA Georgia; 21144 HI Hawaii; 21145 IA Iowa; 21146 ID Idaho;
  21147 IL Illinois; 21148 IN Indiana; 21149 KS Kansas; 21150 KY Kentucky; 21151 LA Louisiana;
  21152 MA Massachusetts; 21153 MD Maryland; 21154 ME Maine; 21155 MI Michigan; 21156 MN Minnesota;
  21157 MO Missouri; 21158 MS Mississippi; 21159 MT Montana; 21160 NC North Carolina;
  21161 ND North Dakota; 21162 NE Nebraska; 21163 NH New Hampshire; 21164 NJ New Jersey;
  21165 NM New Mexico; 21166 NV Nevada; 21167 NY New York; 21168 OH Ohio; 21169 OK Oklahoma;
  21170 OR Oregon; 21171 PA Pennsylvania; 21172 RI Rhode Island; 21173 SC South Carolina;
  21174 SD South Dakota; 21175 TN Tennessee; 21176 TX Texas; 21177 UT Utah; 21178 VA Virginia;
  21179 VT Vermont; 21180 WA Washington; 21182 WI Wisconsin; 21183 WV West Virginia;
  21184 WY Wyoming
`
  .trim()
  .split(/;\s*/)
  .map((entry) => {
    const [code, letters, ...name] = entry.split(" ") as [string, string, ...string[]];
    return { code: Number(code), letters, name: name.join(" ") };
  });

/** Cities by geo code. */
const cities = new Map<number, EventPlace>([
  [1006886, { city: "London", countryCode: "GB" }],
  [1012873, { city: "Phoenix", stateCode: "AZ", countryCode: "US" }],
  [1013962, { city: "Los Angeles", stateCode: "CA", countryCode: "US" }],
  [1014221, { city: "San Francisco", stateCode: "CA", countryCode: "US" }],
  [1016367, { city: "Chicago", stateCode: "IL", countryCode: "US" }],
  [1023191, { city: "New York", stateCode: "NY", countryCode: "US" }],
  [1027744, { city: "Seattle", stateCode: "WA", countryCode: "US" }],
]);

const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
const otherNames: Readonly<Record<string, string>> = {
  "united states of america": "US",
  usa: "US",
  uk: "GB",
  czechia: "CZ",
  "czech republic": "CZ",
  turkey: "TR",
  "hong kong": "HK",
};
const byName = new Map<string, string>();
for (let code = 2004; code < 2900; code += 1) {
  const letters = countryLetters(code)?.toUpperCase();
  const name = letters && names.of(letters);
  if (letters && name) byName.set(name.toLowerCase(), letters);
}

function country(text: string): string | undefined {
  const lower = text.toLowerCase();
  if (lower.length === 2 && countryCode(lower) !== undefined) return lower.toUpperCase();
  return otherNames[lower] ?? byName.get(lower);
}

function state(text: string): string | undefined {
  const lower = text.toLowerCase();
  return states.find(({ letters, name }) =>
    [letters.toLowerCase(), name.toLowerCase()].includes(lower),
  )?.letters;
}

const defaultRadiusKm = 50;
const mostRadiusKm = 19_999;

/** Parameters of a search around a point; `radius` in metres. */
export function around(latitude: number, longitude: number, radius?: number): EventPlace {
  const km = radius === undefined ? defaultRadiusKm : Math.ceil(radius / 1000);
  const within = Math.min(mostRadiusKm, Math.max(1, km));
  return { latlong: `${degrees(latitude)},${degrees(longitude)}`, radius: within, unit: "km" };
}

/** A caller's `location` for events. Throws `validation_error` for a geo code that is not listed. */
export function eventPlace(location: string | number): EventPlace {
  if (typeof location === "number") return byCode(location);
  if (isCoordinate(location)) {
    const [latitude, longitude, radius] = location.split(",").map((part) => parseFloat(part));
    return around(latitude as number, longitude as number, radius);
  }
  const parts = location
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const land = country(parts.at(-1) ?? "");
  const rest = land === undefined ? parts : parts.slice(0, -1);
  const place = land === undefined ? {} : { countryCode: land };
  const [first, second] = rest;
  if (first === undefined) return place;
  const american = land === undefined || land === "US";
  if (second === undefined) {
    const whole = american && land !== undefined ? state(first) : undefined;
    return whole === undefined ? { city: first, ...place } : { stateCode: whole, ...place };
  }
  const region = american ? state(second) : undefined;
  return { city: first, stateCode: region, ...place };
}

function byCode(code: number): EventPlace {
  const letters = countryLetters(code);
  if (letters !== undefined) return { countryCode: letters.toUpperCase() };
  const found = states.find((entry) => entry.code === code);
  if (found) return { stateCode: found.letters, countryCode: "US" };
  const city = cities.get(code);
  if (city) return city;
  throw invalid("body", "location", "unknown_location", "location: there is no such geo code here");
}
