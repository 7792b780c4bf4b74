import * as z from "zod";
import { id, page, perPage, text } from "../../fields.ts";
import { area, operation } from "../../operation.ts";
import type { Source } from "../../source.ts";
import { foodProduct } from "./records.ts";

const openFoodFacts: Source = {
  name: "Open Food Facts",
  url: "https://world.openfoodfacts.org",
  licence: "ODbL 1.0, pictures CC BY-SA",
  terms: "https://world.openfoodfacts.org/terms-of-use",
  attribution: "Open Food Facts",
};

const barcode = id(/^[0-9]{4,24}$/, "Barcode", "4 to 24 digits, such as 3017620422003", (given) =>
  given.replace(/[ -]/g, ""),
);
const tag = (description: string) => text(1, 100, description).optional();

export const food = area({
  name: "food",
  summary: "Food products with their ingredients and nutrition",
  pool: "social",
  operations: [
    operation({
      id: "food.products.get",
      method: "GET",
      path: "/food/products/{barcode}",
      summary: "One food product by its barcode",
      sources: [openFoodFacts],
      input: z.strictObject({ barcode }),
      data: foodProduct,
      records: { kind: "one" },
      example: { barcode: "4000000000017" },
    }),
    operation({
      id: "food.products.search",
      method: "GET",
      path: "/food/products/search",
      summary: "Food products by words, or by brand, category, label and country",
      description:
        "Give `q`, or any of the others: the source has one search for words and one for tags.",
      sources: [openFoodFacts],
      input: z.strictObject({
        q: text(1, 200, "Words of names, brands and ingredients").optional(),
        brand: tag("Brand"),
        category: tag("Category in English, such as orange juices"),
        label: tag("Label in English, such as organic"),
        country: tag("Country of sale in English, such as France"),
        nutri_score: z.enum(["a", "b", "c", "d", "e"]).optional().describe("Only this grade"),
        sort: z
          .enum(["most_scanned", "newest", "name"])
          .default("most_scanned")
          .describe("Order of the products; newest by their first entry"),
        ...page({ most: 100, default: 20 }),
      }),
      data: z.array(foodProduct),
      paginated: true,
      records: perPage,
      example: { category: "orange juices", limit: 5 },
    }),
  ],
});
