import * as z from "zod";

export const place = z
  .object({
    id: z
      .string()
      .optional()
      .describe("Id of its object in OpenStreetMap: N, W or R and a number; some areas have none"),
    name: z.string().optional(),
    full_address: z.string().optional(),
    category: z.string().optional().describe("Key of its main tag in OpenStreetMap: amenity, …"),
    type: z.string().optional().describe("Value of its main tag in OpenStreetMap: cafe, …"),
    latitude: z.number(),
    longitude: z.number(),
    bounding_box: z
      .object({
        south: z.number(),
        west: z.number(),
        north: z.number(),
        east: z.number(),
      })
      .optional()
      .describe("Degrees of its borders"),
    importance: z.number().optional(),
    house_number: z.string().optional(),
    street: z.string().optional(),
    district: z.string().optional().describe("Part of the city"),
    city: z.string().optional().describe("City, town or village"),
    county: z.string().optional(),
    state: z.string().optional().describe("State or province"),
    postal_code: z.string().optional(),
    country: z.string().optional(),
    country_code: z.string().optional().describe("ISO 3166-1 code of two letters"),
  })
  .meta({ id: "Place" });

/** A place as a search while a person types shows it. */
export const placeSuggestion = place
  .omit({ full_address: true, importance: true })
  .meta({ id: "PlaceSuggestion" });

/** A feature of the map, with all its tags. */
export const placeFeature = place
  .pick({ name: true, category: true, type: true, latitude: true, longitude: true })
  .extend({
    id: z.string().describe("Id of its object in OpenStreetMap: N, W or R and a number"),
    house_number: z.string().optional(),
    street: z.string().optional(),
    city: z.string().optional().describe("City, town or village"),
    postal_code: z.string().optional(),
    phone: z.string().optional(),
    website_url: z.string().optional(),
    opening_hours: z.string().optional(),
    tags: z.array(z.object({ key: z.string(), value: z.string() })).describe("All its tags"),
  })
  .meta({ id: "PlaceFeature" });

export type PlaceFeature = z.output<typeof placeFeature>;
export type Place = z.output<typeof place>;
export type PlaceSuggestion = z.output<typeof placeSuggestion>;
