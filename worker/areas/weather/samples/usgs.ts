import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 700 };

function feature(id: string, index: number) {
  const v = vary("usgs", id);
  const [magnitude, place] = [
    v.int("magnitude", 20, 70) / 10,
    `9 km N of ${v.pick("place", words)}`,
  ];
  return {
    type: "Feature",
    properties: {
      mag: magnitude,
      place,
      time: 1_777_800_000_000 - index * 61_000,
      updated: 1_777_900_000_000,
      tz: null,
      url: `https://earthquake.usgs.gov/earthquakes/eventpage/${id}`,
      felt: v.int("felt", 0, 900),
      alert: "green",
      status: "reviewed",
      tsunami: v.int("tsunami", 0, 1),
      sig: v.int("significance", 1, 900),
      magType: "mww",
      type: "earthquake",
      title: `M ${magnitude} - ${place}`,
    },
    geometry: {
      type: "Point",
      coordinates: [
        v.int("lon", -170, 170) + 0.25,
        v.int("lat", -80, 80) + 0.5,
        v.int("depth", 1, 600),
      ],
    },
    id,
  };
}

function query({ query: asked, empty, secondPage }: SampleRequest) {
  if (asked?.eventid !== undefined) return feature(String(asked.eventid), 0);
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [offset, count] = [Number(asked?.offset) - 1, Number(asked?.limit)];
  return {
    type: "FeatureCollection",
    metadata: { status: 200, limit: count, offset: offset + 1 },
    features: slice({ total, offset, count }, (index) => feature(`us7000${index + 1000}`, index)),
  };
}

/** Sample answers of the Geological Survey, written for this project. */
export const usgs: Samples = {
  upstream: "usgs",
  answers: { "GET /fdsnws/event/1/query": query },
  faults: {
    not_found: { status: 404, body: undefined },
    upstream_error: { status: 400, body: undefined },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
