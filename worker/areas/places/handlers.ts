import type { places } from "../../../contract/areas/places/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { whole } from "../../mapping/list.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { nominatim } from "../../upstreams/nominatim/client.ts";
import { photon } from "../../upstreams/photon/client.ts";
import { at, need, object, rows } from "#wire";
import { place } from "./nominatim.map.ts";
import { suggestion } from "./photon.map.ts";

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
  return whole(call, rows(body, "places", place).slice(0, limit));
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

export default {
  "places.geocode": (input, call) => search(call, input, { q: input.q }),
  "places.geocode_address": (input, call) => {
    const { street, city, county, state, postal_code: postalcode, country_name } = input;
    const address = { street, city, county, state, postalcode, country: country_name };
    if (Object.values(address).every((one) => one === undefined)) {
      const message = "street: give a street, city, county, state, postal code or country name";
      throw invalid("query", "street", "required", message);
    }
    return search(call, input, address);
  },
  "places.reverse": async ({ latitude: lat, longitude: lon, detail, language }, call) => {
    const body = await ask(call, "/reverse", language, { lat, lon, zoom: zooms[detail] });
    return { data: place(need(object(body), "place")) };
  },
  "places.lookup": async ({ ids, language }, call) => {
    const body = await ask(call, "/lookup", language, { osm_ids: ids.join(",") });
    return whole(call, rows(body, "places", place));
  },
  "places.autocomplete": async (input, call) => {
    const { q, latitude: lat, longitude: lon, language: lang, limit } = input;
    if ((lat === undefined) !== (lon === undefined)) {
      const [field, other] =
        lat === undefined ? ["latitude", "longitude"] : ["longitude", "latitude"];
      throw invalid("query", field, "required", `${field}: is required with ${other}`);
    }
    const body = await get(call, photon, "/api", { q, lat, lon, lang, limit });
    return whole(call, rows(at(body, "features"), "features", suggestion).slice(0, limit));
  },
} satisfies Connector<typeof places>;
