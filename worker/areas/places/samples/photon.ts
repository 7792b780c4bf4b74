import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";

function features({ query, empty }: SampleRequest) {
  const asked = query?.q === undefined ? `${query?.lat} ${query?.lon}` : String(query.q);
  return {
    type: "FeatureCollection",
    features: Array.from({ length: empty ? 0 : Number(query?.limit) }, (_, index) =>
      feature(asked, index),
    ),
  };
}

function feature(asked: string, index: number) {
  const v = vary("photon", asked, index);
  const [lat, lon] = [v.int("lat", -80, 80) + 0.5, v.int("lon", -170, 170) + 0.25];
  return {
    type: "Feature",
    geometry: { type: "Point", coordinates: [lon, lat] },
    properties: {
      osm_type: "W",
      osm_id: Number(v.digits("id", 9)),
      osm_key: "amenity",
      osm_value: "cafe",
      type: "house",
      name: `${v.pick("name", words)} ${index + 1}`,
      housenumber: "7",
      street: "Sample street",
      locality: "Sample quarter",
      district: "Mitte",
      city: "Berlin",
      county: "Sample county",
      state: "Berlin",
      postcode: "10117",
      country: "Germany",
      countrycode: "DE",
      extent: [lon - 0.125, lat + 0.125, lon + 0.125, lat - 0.125],
    },
  };
}

/** Sample answers of Photon, written for this project. */
export const photon: Samples = {
  upstream: "photon",
  answers: {
    "GET /api": features,
    "GET /reverse": features,
  },
  faults: {
    not_found: { status: 404, body: { message: "Not found" } },
    upstream_error: { status: 400, body: { message: "Sample fault" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
