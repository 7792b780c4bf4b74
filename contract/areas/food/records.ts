import * as z from "zod";

const texts = z.array(z.string());
const grams = (what: string) =>
  z.number().optional().describe(`${what} in grams in 100 g or 100 ml`);

export const foodProduct = z
  .object({
    barcode: z.string(),
    name: z.string().optional(),
    generic_name: z.string().optional(),
    brands: texts,
    quantity: z.string().optional(),
    categories: texts.describe("Categories, the widest first, as `en:beverages`"),
    labels: texts.describe("Labels such as `en:organic`"),
    countries: texts.describe("Countries of sale, as `en:france`"),
    ingredients_text: z.string().optional(),
    allergens: texts,
    traces: texts,
    additives: texts,
    nutri_score: z.string().optional().describe("Grade a to e"),
    nova_group: z.int().optional().describe("How far it is processed, 1 to 4"),
    serving_size: z.string().optional(),
    nutrition: z
      .object({
        energy_kcal: z.number().optional().describe("Kilocalories in 100 g or 100 ml"),
        fat: grams("Fat"),
        saturated_fat: grams("Saturated fat"),
        carbohydrates: grams("Carbohydrates"),
        sugars: grams("Sugars"),
        fiber: grams("Fibre"),
        proteins: grams("Proteins"),
        salt: grams("Salt"),
      })
      .describe("What 100 g or 100 ml hold"),
    language: z.string().optional(),
    image_url: z.string().optional(),
    thumbnail_url: z.string().optional(),
    created_at: z.string().optional(),
    updated_at: z.string().optional(),
    url: z.string(),
  })
  .meta({ id: "FoodProduct" });

export type FoodProduct = z.output<typeof foodProduct>;
