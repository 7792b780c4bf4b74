import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";

const kinds = { N: "node", W: "way", R: "relation" } as const;

function place(seed: string, id: { letter: keyof typeof kinds; digits: string }) {
  const v = vary("nominatim", seed);
  const [lat, lon] = [v.int("lat", -80, 80), v.int("lon", -170, 170)];
  const name = `${v.pick("name", words)} cafe`;
  return {
    place_id: Number(v.digits("place", 7)),
    licence: "Data © OpenStreetMap contributors, ODbL 1.0. https://osm.org/copyright",
    osm_type: kinds[id.letter],
    osm_id: Number(id.digits),
    lat: `${lat}.52`,
    lon: `${lon}.25`,
    category: "amenity",
    type: "cafe",
    place_rank: 30,
    importance: v.int("importance", 1, 99) / 100,
    addresstype: "amenity",
    name,
    display_name: `${name}, 7, Sample street, Mitte, Berlin, 10117, Germany`,
    address: {
      amenity: name,
      house_number: "7",
      road: "Sample street",
      suburb: "Mitte",
      city: "Berlin",
      county: "Sample county",
      state: "Berlin",
      "ISO3166-2-lvl4": "DE-BE",
      postcode: "10117",
      country: "Germany",
      country_code: "de",
    },
    boundingbox: [`${lat}.51`, `${lat}.53`, `${lon}.24`, `${lon}.26`],
  };
}

function search({ query, empty }: SampleRequest) {
  const seed = `${query?.q} ${query?.street} ${query?.city} ${query?.postalcode}`;
  return Array.from({ length: empty ? 0 : Number(query?.limit) }, (_, index) =>
    place(`${seed} ${index}`, {
      letter: "N",
      digits: vary("nominatim", seed, index).digits("id", 9),
    }),
  );
}

/** Sample answers of Nominatim, written for this project. */
export const nominatim: Samples = {
  upstream: "nominatim",
  answers: {
    "GET /search": search,
    "GET /reverse": ({ query }) =>
      place(`${query?.lat} ${query?.lon} ${query?.zoom}`, { letter: "W", digits: "28000055" }),
    "GET /lookup": ({ query, empty }) =>
      (empty ? [] : String(query?.osm_ids).split(",")).map((one) =>
        place(one, { letter: one.charAt(0) as keyof typeof kinds, digits: one.slice(1) }),
      ),
  },
  faults: {
    not_found: { status: 200, body: { error: "Unable to geocode" } },
    upstream_error: { status: 400, body: { error: { code: 400, message: "Sample fault" } } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
