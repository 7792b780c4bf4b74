import type { FoodProduct } from "../../../contract/areas/food/records.ts";
import { type Wire, at, count, defined, each, integer, need, number, text } from "#wire";

/** The members of a product that the request names. */
export const productFields = [
  "code",
  "product_name",
  "generic_name",
  "brands",
  "quantity",
  "categories_tags",
  "labels_tags",
  "countries_tags",
  "ingredients_text",
  "allergens_tags",
  "traces_tags",
  "additives_tags",
  "nutriscore_grade",
  "nova_group",
  "serving_size",
  "nutriments",
  "lang",
  "image_front_url",
  "image_front_small_url",
  "created_t",
  "last_modified_t",
].join(",");

const texts = (value: unknown) => each(value, text);

/** Brands are one text, separated by commas. */
const parts = (value: unknown) =>
  (text(value) ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

/** Grades of products without one are words: `unknown`, `not-applicable`. */
const grade = (value: unknown) => /^[a-e]$/i.exec(text(value) ?? "")?.[0]?.toLowerCase();

/** Old entries have the digits of a binary fraction, also as a text: 2.9000000953674, 0.0393700787401575. */
const amount = (value: unknown) => {
  const given = number(
    typeof value === "string" ? value.trim().replace(/(\.\d{15})\d+$/, "$1") : value,
  );
  return given === undefined ? undefined : Number(given.toFixed(5));
};

const time = (value: unknown) => {
  const seconds = count(value);
  // The last second that a date can be.
  return seconds === undefined || seconds > 8_640_000_000_000
    ? undefined
    : new Date(seconds * 1000).toISOString();
};

export function product(row: Wire): FoodProduct {
  const barcode = need(text(row.code), "product.code");
  const nutrient = (name: string) => amount(at(row.nutriments, `${name}_100g`));
  return defined({
    barcode,
    name: text(row.product_name),
    generic_name: text(row.generic_name),
    brands: parts(row.brands),
    quantity: text(row.quantity),
    categories: texts(row.categories_tags),
    labels: texts(row.labels_tags),
    countries: texts(row.countries_tags),
    ingredients_text: text(row.ingredients_text),
    allergens: texts(row.allergens_tags),
    traces: texts(row.traces_tags),
    additives: texts(row.additives_tags),
    nutri_score: grade(row.nutriscore_grade),
    nova_group: integer(row.nova_group),
    serving_size: text(row.serving_size),
    nutrition: defined({
      energy_kcal: nutrient("energy-kcal"),
      fat: nutrient("fat"),
      saturated_fat: nutrient("saturated-fat"),
      carbohydrates: nutrient("carbohydrates"),
      sugars: nutrient("sugars"),
      fiber: nutrient("fiber"),
      proteins: nutrient("proteins"),
      salt: nutrient("salt"),
    }),
    language: text(row.lang),
    image_url: text(row.image_front_url),
    thumbnail_url: text(row.image_front_small_url),
    created_at: time(row.created_t),
    updated_at: time(row.last_modified_t),
    url: `https://world.openfoodfacts.org/product/${barcode}`,
  });
}
