import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 400 };

function product(code: string) {
  const v = vary("open-food-facts", code);
  const tenth = (name: string, most: number) => v.int(name, 0, most) / 10;
  return {
    code,
    product_name: `${v.pick("name", words)} juice`,
    generic_name: "Juice of samples",
    brands: `Sample, ${v.pick("brand", words)}`,
    quantity: "1 l",
    categories_tags: ["en:beverages", "en:juices"],
    labels_tags: ["en:organic"],
    countries_tags: ["en:germany", "en:france"],
    ingredients_text: `Water, ${v.pick("ingredient", words)}.`,
    allergens_tags: ["en:milk"],
    traces_tags: ["en:nuts"],
    additives_tags: ["en:e330"],
    nutriscore_grade: v.pick("grade", ["a", "b", "c", "d", "e"]),
    nova_group: v.int("nova", 1, 4),
    serving_size: "200 ml",
    nutriments: {
      "energy-kcal_100g": v.int("energy", 1, 500),
      "energy-kcal_unit": "kcal",
      fat_100g: tenth("fat", 300),
      "saturated-fat_100g": tenth("saturated", 200),
      carbohydrates_100g: tenth("carbohydrates", 900),
      sugars_100g: tenth("sugars", 700),
      fiber_100g: tenth("fiber", 200),
      proteins_100g: tenth("proteins", 300),
      salt_100g: tenth("salt", 50),
    },
    lang: "en",
    image_front_url: `https://images.example/${code}/front.400.jpg`,
    image_front_small_url: `https://images.example/${code}/front.200.jpg`,
    created_t: v.int("created", 1_400_000_000, 1_600_000_000),
    last_modified_t: v.int("modified", 1_600_000_000, 1_780_000_000),
  };
}

function search({ query, empty, secondPage }: SampleRequest) {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [number, size] = [Number(query?.page), Number(query?.page_size)];
  const offset = (number - 1) * size;
  const seed = `${query?.search_terms} ${query?.brands_tags} ${query?.categories_tags_en} ${query?.countries_tags_en}`;
  const base = vary("open-food-facts", seed).digits("base", 9);
  return {
    count: total,
    page: number,
    page_size: size,
    page_count: Math.ceil(total / size),
    skip: offset,
    products: slice({ total, offset, count: size }, (index) =>
      product(`${base}${String(index).padStart(4, "0")}`),
    ),
  };
}

const faults: Samples["faults"] = {
  not_found: { status: 200, body: { code: "1", status: 0, status_verbose: "product not found" } },
  upstream_error: { status: 400, body: { error: "Sample fault" } },
  upstream_unavailable: { status: 503, body: undefined },
};

/** Sample answers of Open Food Facts, written for this project. */
export const openFoodFacts: Samples = {
  upstream: "open-food-facts",
  answers: {
    "GET /api/v2/product/{code}": ({ parts }) => ({
      code: parts.code,
      product: product(parts.code as string),
      status: 1,
      status_verbose: "product found",
    }),
  },
  faults,
};

/** Sample answers of its searches, written for this project. */
export const openFoodFactsSearch: Samples = {
  upstream: "open-food-facts-search",
  answers: { "GET /api/v2/search": search, "GET /cgi/search.pl": search },
  faults,
};
