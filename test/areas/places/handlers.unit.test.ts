import { expect, test } from "vitest";
import { place } from "../../../worker/areas/places/nominatim.map.ts";
import { feature as mapFeature } from "../../../worker/areas/places/overpass.map.ts";
import { suggestion } from "../../../worker/areas/places/photon.map.ts";
import { nominatim as bundled } from "../../../worker/areas/places/samples/nominatim.ts";
import { overpass as overpassSamples } from "../../../worker/areas/places/samples/overpass.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import { nominatim } from "../../../worker/upstreams/nominatim/client.ts";
import { overpass } from "../../../worker/upstreams/overpass/client.ts";
import { ShapeError } from "#wire";
import { ask } from "../answering.ts";
import { issues } from "../input.ts";
import { play } from "../play.ts";

const row = {
  osm_type: "way",
  osm_id: 28_063_955,
  lat: "35.6860103",
  lon: "139.8116922",
  category: "highway",
  type: "tertiary",
  importance: 0.0999,
  name: null,
  display_name: "Sample 1-chome, Koto, Tokyo, 135-0002, Japan",
};

test("places surprise 1: the parts of an address have one name each", () => {
  const parts = (address: object) => {
    const { street, district, city } = place({ ...row, address });
    return [street, district, city];
  };
  expect(parts({ road: "A", suburb: "B", city: "C", town: "D" })).toEqual(["A", "B", "C"]);
  const many = { pedestrian: "A", city_district: "E", suburb: "B", village: "C" };
  expect(parts(many)).toEqual(["A", "B", "C"]);
  expect(parts({ hamlet: "C" })).toEqual([undefined, undefined, "C"]);
  const rest = { house_number: "4", state: "S", postcode: "1", country: "J", country_code: "jp" };
  expect(place({ ...row, address: rest })).toEqual({
    id: "W28063955",
    full_address: "Sample 1-chome, Koto, Tokyo, 135-0002, Japan",
    category: "highway",
    type: "tertiary",
    latitude: 35.6860103,
    longitude: 139.8116922,
    importance: 0.0999,
    house_number: "4",
    state: "S",
    postal_code: "1",
    country: "J",
    country_code: "JP",
  });
});

const feature = {
  geometry: { type: "Point", coordinates: [13.4, 52.5] },
  properties: {
    osm_type: "R",
    osm_id: 62_422,
    osm_key: "place",
    osm_value: "city",
    name: "Berlin",
  },
};
const { properties } = feature;

test("places surprise 2: long decimals, and borders in two orders", () => {
  const box = { south: 52.3, west: 13.1, north: 52.7, east: 13.8 };
  expect(place({ ...row, boundingbox: ["52.3", "52.7", "13.1", "13.8"] }).bounding_box).toEqual(
    box,
  );
  expect(place({ ...row, lon: "4.36198883031823757" }).longitude).toBeCloseTo(4.3619888303, 9);
  expect(place({ ...row, lat: "-0.12770820958562096" }).latitude).toBeCloseTo(-0.1277082095, 9);
  const extent = [13.1, 52.7, 13.8, 52.3];
  expect(suggestion({ ...feature, properties: { ...properties, extent } })).toEqual({
    id: "R62422",
    name: "Berlin",
    category: "place",
    type: "city",
    latitude: 52.5,
    longitude: 13.4,
    bounding_box: box,
  });
  expect(suggestion(feature)).not.toHaveProperty("bounding_box");
  expect(place({ ...row, boundingbox: ["52.3", "52.7"] })).not.toHaveProperty("bounding_box");
  expect(() => suggestion({ geometry: { coordinates: [13.4] } })).toThrow(ShapeError);
});

test("places surprise 3: a position without an address is an error with status 200", async () => {
  const body = { error: "Unable to geocode" };
  expect(nominatim.judge({ status: 200, headers: {}, body })).toMatchObject({ type: "not_found" });
  const samples = [{ ...bundled, answers: { "GET /reverse": () => body } }];
  const played = await play("places.reverse", { latitude: 0, longitude: 0 }, { samples });
  expect(played).toMatchObject({ ok: false, type: "not_found" });
});

test("places surprise 4: areas of postal codes have no id", () => {
  const area = { lat: "34.09", lon: "-118.39", category: "place", type: "postcode" };
  expect(place(area)).toEqual({
    category: "place",
    type: "postcode",
    latitude: 34.09,
    longitude: -118.39,
  });
});

test("places surprise 5: a lookup may have fewer places than ids", async () => {
  const samples = [{ ...bundled, answers: { "GET /lookup": () => [row] } }];
  const played = await play("places.lookup", { ids: ["W28063955", "N1"] }, { samples });
  expect(played).toMatchObject({ ok: true, records: 1, data: [{ id: "W28063955" }] });
});

test("places surprise 6: a city with many postal codes has none", () => {
  const of = (postcode: string) =>
    suggestion({ ...feature, properties: { ...properties, postcode } }).postal_code;
  expect(of("10117")).toBe("10117");
  expect(of("75000;75001;75002")).toBeUndefined();
});

test("an address without parts, and half a position, are refused", async () => {
  const bare = await play("places.geocode_address", { country: "DE" });
  expect(bare).toMatchObject({ ok: false, type: "validation_error" });
  const half = await play("places.autocomplete", { q: "x", latitude: 1 });
  expect(half).toMatchObject({ ok: false, type: "validation_error" });
  expect(issues("places.reverse", { latitude: 91, longitude: 0 })).toEqual(["latitude"]);
  expect(issues("places.lookup", { ids: ["n12"] })).toEqual([]);
  expect(issues("places.lookup", { ids: ["X12"] })).toEqual(["ids.0"]);
});

test("all requests to the public server share one a second", () => {
  expect(nominatim.limits).toEqual({ perSecond: 1, burst: 1, simultaneous: 1 });
});

test("places surprise 7: ways and relations have the position of their centre", () => {
  const tags = { amenity: "cafe", name: "Sample", "addr:street": "Sample street", ele: 12 };
  const node = { type: "node", id: 5, lat: 52.5, lon: 13.4, tags };
  expect(mapFeature(node, "amenity")).toEqual({
    id: "N5",
    name: "Sample",
    category: "amenity",
    type: "cafe",
    latitude: 52.5,
    longitude: 13.4,
    street: "Sample street",
    tags: [
      { key: "amenity", value: "cafe" },
      { key: "name", value: "Sample" },
      { key: "addr:street", value: "Sample street" },
    ],
  });
  const way = { type: "way", id: 6, center: { lat: 1, lon: 2 }, nodes: [1, 2] };
  expect(mapFeature(way, "amenity")).toMatchObject({ id: "W6", latitude: 1, longitude: 2 });
  expect(() => mapFeature({ type: "relation", id: 7 }, "amenity")).toThrow(ShapeError);
});

test("places surprise 8: a query that was cut off is no answer", () => {
  const body = { elements: [], remark: 'runtime error: Query timed out in "query" at line 1' };
  const reply = { status: 200, headers: {}, body };
  expect(overpass.judge(reply)).toMatchObject({ ok: false, type: "upstream_error" });
  expect(overpass.judge({ ...reply, body: { elements: [] } })).toEqual({ ok: true });
  expect(overpass.judge({ ...reply, status: 504, body: undefined })).toMatchObject({ retry: true });
});

test("a box is at most a degree wide, and a tag cannot leave its quotes", async () => {
  const box = { south: 52.5, west: 13.3, north: 52.6, east: 13.5 };
  let data: unknown;
  const answers = {
    "GET /api/interpreter": (request: SampleRequest) => {
      data = request.query?.data;
      return { elements: [] };
    },
  };
  const samples = [{ ...overpassSamples, answers }];
  const tag = { category: "amenity", type: "cafe", limit: 7 };
  expect(await play("places.features", { ...box, ...tag }, { samples })).toMatchObject({
    ok: true,
  });
  expect(data).toBe(
    '[out:json][timeout:25];nwr["amenity"="cafe"](52.5,13.3,52.6,13.5);out center 7;',
  );
  for (const wrong of [{ north: 54 }, { east: 15 }, { south: 53 }, { west: 14 }]) {
    const played = await play("places.features", { ...box, ...wrong, category: "amenity" });
    expect(played, JSON.stringify(wrong)).toMatchObject({ type: "validation_error" });
  }
  const out = { ...box, category: 'a"](1,2,3,4);out;' };
  expect(issues("places.features", out)).toEqual(["category"]);
});

test("positions are sent in plain digits", async () => {
  const position = { latitude: 0.0000005, longitude: -0.0000005 };
  const plain = { lat: "0.0000005", lon: "-0.0000005" };
  const near = await ask("places.reverse", { ...position, detail: "city" }, () => ({ body: row }));
  expect(near.asked).toMatchObject([{ query: plain }]);
  const typed = { q: "x", ...position };
  const suggested = await ask("places.autocomplete", typed, () => ({ body: { features: [] } }));
  expect(suggested.asked).toMatchObject([{ query: plain }]);
  const box = { south: 0, west: -0.0000005, north: 0.0000005, east: 0.5, category: "amenity" };
  const { asked } = await ask("places.features", box, () => ({ body: { elements: [] } }));
  expect(asked[0]?.query?.data).toContain('["amenity"](0,-0.0000005,0.0000005,0.5);');
});

test("a box of one degree is taken, whatever binary fractions make of its borders", async () => {
  const box = { south: 50.1, west: 15.1, north: 51.1, east: 16.1, category: "amenity" };
  const { played } = await ask("places.features", box, () => ({ body: { elements: [] } }));
  expect(played).toMatchObject({ ok: true });
});
