import type { Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";

/** Sample answers of Overpass, written for this project. */
export const overpass: Samples = {
  upstream: "overpass",
  answers: {
    "GET /api/interpreter": ({ query, empty }) => {
      const asked = String(query?.data);
      const [, key = "amenity", value = "cafe"] = /\["([^"]+)"(?:="([^"]+)")?\]/.exec(asked) ?? [];
      const count = Number(/out center (\d+)/.exec(asked)?.[1]);
      return {
        version: 0.6,
        generator: "Overpass API",
        osm3s: {
          timestamp_osm_base: "2026-05-04T10:11:12Z",
          copyright: "The data included in this document is from www.openstreetmap.org.",
        },
        elements: Array.from({ length: empty ? 0 : count }, (_, index) => {
          const v = vary("overpass", asked, index);
          const position = {
            lat: v.int("lat", -80, 80) + 0.5,
            lon: v.int("lon", -170, 170) + 0.25,
          };
          return {
            type: index % 2 === 0 ? "node" : "way",
            id: Number(v.digits("id", 9)),
            ...(index % 2 === 0 ? position : { center: position }),
            tags: {
              [key]: value,
              name: `${v.pick("name", words)} ${index + 1}`,
              "addr:housenumber": String(v.int("number", 1, 99)),
              "addr:street": `${v.pick("street", words)} street`,
              "addr:city": "Berlin",
              "addr:postcode": v.digits("code", 5),
              phone: `+49 30 ${v.digits("phone", 7)}`,
              website: `https://place-${index + 1}.example`,
              opening_hours: "Mo-Fr 08:00-18:00",
            },
          };
        }),
      };
    },
  },
  faults: {
    not_found: { status: 404, body: undefined },
    upstream_error: { status: 400, body: undefined },
    upstream_unavailable: { status: 504, body: undefined },
  },
};
