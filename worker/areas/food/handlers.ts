import type { food } from "../../../contract/areas/food/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { sliced } from "../../mapping/sliced.ts";
import type { Upstream } from "../../transport/upstream.ts";
import { openFoodFacts, openFoodFactsSearch } from "../../upstreams/open-food-facts/client.ts";
import { at, count, need, object, rows } from "#wire";
import { product, productFields } from "./product.map.ts";

type Query = Readonly<Record<string, string | number | undefined>>;

async function get(call: Call, upstream: Upstream, path: string, query: Query) {
  return (await call.send(upstream, { method: "GET", path, query })).body;
}

interface Wanted {
  q?: string | undefined;
  brand?: string | undefined;
  category?: string | undefined;
  label?: string | undefined;
  country?: string | undefined;
  nutri_score?: string | undefined;
}

/** The search for words, or the one for tags: neither takes the parameters of the other. */
function searchOf({ q, brand, category, label, country, nutri_score }: Wanted) {
  const tags = {
    brands_tags: brand,
    categories_tags_en: category,
    labels_tags_en: label,
    countries_tags_en: country,
    nutrition_grades_tags: nutri_score,
  };
  const hasTags = Object.values(tags).some((value) => value !== undefined);
  if (q === undefined && hasTags) return { path: "/api/v2/search", query: tags };
  if (q === undefined) {
    const message = "q: give q, a brand, a category, a label, a country or a nutri_score";
    throw invalid("query", "q", "required", message);
  }
  if (hasTags) {
    throw invalid(
      "query",
      "q",
      "invalid_value",
      "q: cannot be combined with brand, category, label, country or nutri_score",
    );
  }
  const query = { search_terms: q, search_simple: 1, action: "process", json: 1 };
  return { path: "/cgi/search.pl", query };
}

/** The source's words for an order. */
const orders = { most_scanned: "unique_scans_n", newest: "created_t", name: "product_name" };

export default {
  "food.products.get": async ({ barcode }, call) => {
    const query = { fields: productFields };
    const body = await get(call, openFoodFacts, `/api/v2/product/${barcode}`, query);
    return { data: product(need(object(at(body, "product")), "product")) };
  },
  "food.products.search": (input, call) => {
    const { path, query } = searchOf(input);
    return sliced(call, {
      limit: input.limit,
      size: { most: 100, numbered: true },
      last: Infinity,
      key: (row) => row.barcode,
      async fetch(offset, size) {
        const body = await get(call, openFoodFactsSearch, path, {
          ...query,
          sort_by: orders[input.sort],
          page: offset / size + 1,
          page_size: size,
          fields: productFields,
        });
        return {
          rows: rows(at(body, "products"), "products", product),
          total: need(count(at(body, "count")), "count"),
        };
      },
    });
  },
} satisfies Connector<typeof food>;
