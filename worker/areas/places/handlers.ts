import type { places } from "../../../contract/areas/places/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { wholeById } from "../../mapping/list.ts";
import { degrees } from "../../mapping/locality.ts";
import { either } from "../../mapping/preference.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { nominatim } from "../../upstreams/nominatim/client.ts";
import { overpass } from "../../upstreams/overpass/client.ts";
import { photon } from "../../upstreams/photon/client.ts";
import { at, found, need, object, rows } from "#wire";
import { place } from "./nominatim.map.ts";
import { feature } from "./overpass.map.ts";
import { place as photonPlace, suggestion } from "./photon.map.ts";
import { preference } from "./preference.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

/** A request to Nominatim with the parts of each address. */
const ask = (call: Call, path: string, language: string, query: Query) =>
  get(call, nominatim, path, {
    format: "jsonv2",
    addressdetails: 1,
    "accept-language": language,
    ...query,
  });

interface Search {
  country?: string | undefined;
  language: string;
  limit: number;
}

async function search(call: Call, { country, language, limit }: Search, query: Query) {
  const body = await ask(call, "/search", language, { ...query, countrycodes: country, limit });
  return wholeById(call, rows(body, "places", place).slice(0, limit));
}

/** Photon's public server refuses other languages; without one, names are those of the place. */
const photonLanguages = new Set(["en", "de", "fr"]);

function photonLanguage(tag: string): string | undefined {
  const language = tag.slice(0, 2);
  return photonLanguages.has(language) && !/^[a-z]{3}/.test(tag) ? language : undefined;
}

/** The source's level of a map for each degree of detail. */
const zooms = {
  country: 3,
  state: 5,
  county: 8,
  city: 10,
  district: 13,
  street: 17,
  building: 18,
};

interface Box {
  south: number;
  west: number;
  north: number;
  east: number;
}

/** Most degrees of a box, so that the source's time is enough. */
const widest = 1;
/** 16.1 - 15.1 is a little more than 1 in binary fractions. */
const rounding = 1e-9;

function checkBox({ south, west, north, east }: Box) {
  const wrong = (field: string, rule: string) =>
    invalid("query", field, "invalid_value", `${field}: ${rule}`);
  if (south >= north) throw wrong("south", "must be less than north");
  if (west >= east) throw wrong("west", "must be less than east");
  if (north - south > widest + rounding)
    throw wrong("north", `at most ${widest} degree north of south`);
  if (east - west > widest + rounding) throw wrong("east", `at most ${widest} degree east of west`);
}

export default {
  "places.geocode": (input, call) =>
    either(call, preference, {
      nominatim: (within) => search(within, input, { q: input.q }),
      photon: async (within) => {
        const { q, country, language, limit } = input;
        const countrycode = country?.toUpperCase();
        const query = { q, countrycode, lang: photonLanguage(language), limit };
        const features = at(await get(within, photon, "/api", query), "features");
        return wholeById(within, rows(features, "features", photonPlace).slice(0, limit));
      },
    }),
  "places.geocode_address": (input, call) => {
    const { street, city, county, state, postal_code: postalcode, country_name } = input;
    const address = { street, city, county, state, postalcode, country: country_name };
    if (Object.values(address).every((one) => one === undefined)) {
      const message = "street: give a street, city, county, state, postal code or country name";
      throw invalid("query", "street", "required", message);
    }
    return search(call, input, address);
  },
  "places.reverse": (input, call) => {
    const { detail, language } = input;
    const [lat, lon] = [degrees(input.latitude), degrees(input.longitude)];
    const nominatimPlace = async (within: Call) => {
      const body = await ask(within, "/reverse", language, { lat, lon, zoom: zooms[detail] });
      return { data: place(need(object(body), "place")) };
    };
    // Photon knows the nearest object, but not which city or country contains a position.
    if (detail !== "street" && detail !== "building") return nominatimPlace(call);
    return either(call, preference, {
      nominatim: nominatimPlace,
      photon: async (within) => {
        const layer = detail === "street" ? detail : undefined;
        const query = { lat, lon, layer, lang: photonLanguage(language), limit: 1 };
        const features = at(await get(within, photon, "/reverse", query), "features");
        return { data: found(rows(features, "features", photonPlace)[0], "place") };
      },
    });
  },
  "places.lookup": async ({ ids, language }, call) => {
    const body = await ask(call, "/lookup", language, { osm_ids: [...new Set(ids)].join(",") });
    return wholeById(call, rows(body, "places", place));
  },
  "places.autocomplete": async (input, call) => {
    const { q, latitude: lat, longitude: lon, language: lang, limit } = input;
    if ((lat === undefined) !== (lon === undefined)) {
      const [field, other] =
        lat === undefined ? ["latitude", "longitude"] : ["longitude", "latitude"];
      throw invalid("query", field, "required", `${field}: is required with ${other}`);
    }
    const here =
      lat === undefined || lon === undefined ? {} : { lat: degrees(lat), lon: degrees(lon) };
    const body = await get(call, photon, "/api", { q, ...here, lang, limit });
    return wholeById(call, rows(at(body, "features"), "features", suggestion).slice(0, limit));
  },
  "places.features": async (input, call) => {
    checkBox(input);
    const { south, west, north, east, category, type, limit } = input;
    const box = [south, west, north, east].map(degrees).join(",");
    const tag = type === undefined ? `"${category}"` : `"${category}"="${type}"`;
    // `out center` gives ways and relations a position, and a number limits the output.
    const data = `[out:json][timeout:25];nwr[${tag}](${box});out center ${limit};`;
    const body = await get(call, overpass, "/api/interpreter", { data });
    const found = rows(at(body, "elements"), "elements", (row) => feature(row, category));
    return wholeById(call, found.slice(0, limit));
  },
} satisfies Connector<typeof places>;
