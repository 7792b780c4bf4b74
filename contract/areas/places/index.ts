import * as z from "zod";
import { id, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import { place, placeFeature, placeSuggestion } from "./records.ts";

const licensed = {
  licence: "ODbL 1.0",
  terms: "https://www.openstreetmap.org/copyright",
  attribution: "© OpenStreetMap contributors",
} as const;
const nominatim: Source = {
  name: "OpenStreetMap Nominatim",
  url: "https://nominatim.org",
  ...licensed,
};
const photon: Source = {
  name: "OpenStreetMap Photon",
  url: "https://photon.komoot.io",
  ...licensed,
};
const overpass: Source = {
  name: "OpenStreetMap Overpass",
  url: "https://overpass-api.de",
  ...licensed,
};

const language = z
  .string()
  .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/, { message: "must be a tag such as en or pt-BR" })
  .default("en")
  .describe("Language of the names where it is known: en, pt-BR, …");

const country = z
  .string()
  .regex(/^[A-Za-z]{2}$/, { message: "must be a country's code of two letters" })
  .toLowerCase()
  .optional()
  .describe("Only this country, ISO 3166-1 code of two letters");

const latitude = z.number().min(-90).max(90).describe("Degrees of latitude");
const longitude = z.number().min(-180).max(180).describe("Degrees of longitude");

const limit = (most: number) =>
  z.int().min(1).max(most).default(10).describe("Most places to return");

/** Keys and values of tags; quotes and escapes would leave the query's text. */
const tagText = /^[^"'\\\p{Cc}]+$/u;
const tagRule = { message: "must not have quotes, backslashes or control characters" };

const list = {
  kind: "list",
  rows: (data: readonly unknown[]) => data,
  most: (input: { limit: number }) => input.limit,
} as const;

const part = (description: string) => text(1, 200, description).optional();

export const places = area({
  name: "places",
  summary: "Positions of addresses and places, and addresses of positions",
  pool: "social",
  operations: [
    operation({
      id: "places.geocode",
      method: "GET",
      path: "/places/geocode",
      summary: "Places by an address or a name",
      sources: [nominatim, photon],
      input: z.strictObject({
        q: text(1, 300, "Address or name, such as 10 Sample street, Berlin"),
        country,
        language,
        limit: limit(40),
      }),
      data: z.array(place),
      records: list,
      example: { q: "Sample street 7, Berlin", limit: 3 },
    }),
    operation({
      id: "places.geocode_address",
      method: "GET",
      path: "/places/geocode-address",
      summary: "Places by the parts of an address",
      sources: [nominatim],
      input: z.strictObject({
        street: part("House number and street"),
        city: part("City, town or village"),
        county: part("County"),
        state: part("State or province"),
        postal_code: part("Postal code"),
        country_name: part("Name of the country"),
        country,
        language,
        limit: limit(40),
      }),
      data: z.array(place),
      records: list,
      example: { street: "7 Sample street", city: "Berlin", country: "de", limit: 3 },
    }),
    operation({
      id: "places.reverse",
      method: "GET",
      path: "/places/reverse",
      summary: "The address of a position",
      description: "The nearest object with an address; `not_found` where there is none.",
      sources: [nominatim, photon],
      input: z.strictObject({
        latitude,
        longitude,
        detail: z
          .enum(["country", "state", "county", "city", "district", "street", "building"])
          .default("building")
          .describe("How precise the address is"),
        language,
      }),
      data: place,
      records: { kind: "one" },
      example: { latitude: 52.52, longitude: 13.405 },
    }),
    operation({
      id: "places.lookup",
      method: "GET",
      path: "/places/lookup",
      summary: "Up to 50 places by their ids",
      description: "Ids that do not exist are left out.",
      sources: [nominatim],
      input: z.strictObject({
        ids: z
          .array(
            id(
              /^[NWR][0-9]{1,12}$/,
              "Place",
              "N (node), W (way) or R (relation) and a number of 1 to 12 digits",
              (given) => given.trim().toUpperCase(),
            ),
          )
          .min(1)
          .max(50)
          .describe("Ids of places, separated by commas"),
        language,
      }),
      data: z.array(place),
      records: {
        kind: "list",
        rows: (data) => data,
        most: (input) => input.ids.length,
      },
      example: { ids: ["R62422", "W4532022"] },
    }),
    operation({
      id: "places.autocomplete",
      method: "GET",
      path: "/places/autocomplete",
      summary: "Places that fit what a person has typed so far",
      sources: [photon],
      input: z.strictObject({
        q: text(1, 200, "What was typed"),
        latitude: latitude.optional().describe("Prefer places near it; with `longitude`"),
        longitude: longitude.optional().describe("Prefer places near it; with `latitude`"),
        language: z
          .enum(["en", "de", "fr"])
          .optional()
          .describe("Language of the names; that of the place by default"),
        limit: limit(20),
      }),
      data: z.array(placeSuggestion),
      records: list,
      example: { q: "sample stre", limit: 3 },
    }),
    operation({
      id: "places.features",
      method: "GET",
      path: "/places/features",
      summary: "Features of the map in a box, by a tag: cafes, bus stops, springs",
      description:
        "The box is at most one degree wide and high. [OpenStreetMap's wiki](https://wiki.openstreetmap.org/wiki/Map_features) lists the tags.",
      sources: [overpass],
      input: z.strictObject({
        south: latitude.describe("Southern border in degrees of latitude"),
        west: longitude.describe("Western border in degrees of longitude"),
        north: latitude.describe("Northern border in degrees of latitude"),
        east: longitude.describe("Eastern border in degrees of longitude"),
        category: text(1, 100, "Key of the tag, such as amenity").regex(tagText, tagRule),
        type: text(1, 100, "Value of the tag, such as cafe; all by default")
          .regex(tagText, tagRule)
          .optional(),
        limit: limit(500),
      }),
      data: z.array(placeFeature),
      records: list,
      example: {
        south: 52.51,
        west: 13.37,
        north: 52.53,
        east: 13.41,
        category: "amenity",
        limit: 3,
      },
    }),
  ],
});
