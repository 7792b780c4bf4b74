import { expect, test } from "vitest";
import { product } from "../../../worker/areas/food/product.map.ts";
import { openFoodFactsSearch as bundled } from "../../../worker/areas/food/samples/open-food-facts.ts";
import type { SampleRequest } from "../../../worker/sandbox/sample.ts";
import {
  openFoodFacts,
  openFoodFactsSearch,
} from "../../../worker/upstreams/open-food-facts/client.ts";
import { expectValues } from "../input.ts";
import { play } from "../play.ts";

const reply = (status: number, body: object) => ({ status, headers: {}, body });

test("food surprise 1: a product that does not exist is status 0", () => {
  const body = { code: "1", status: 0, status_verbose: "product not found" };
  for (const status of [200, 404]) {
    expect(openFoodFacts.judge(reply(status, body))).toMatchObject({ type: "not_found" });
  }
  expect(openFoodFacts.judge(reply(200, { status: 1, product: {} }))).toEqual({ ok: true });
});

test("food surprise 2: more requests than allowed are repeated later", () => {
  expect(openFoodFacts.judge(reply(503, {}))).toMatchObject({ retry: true });
  const perMinute = [openFoodFacts, openFoodFactsSearch].map(
    ({ limits }) => (limits?.perSecond ?? 0) * 60 + (limits?.burst ?? 0),
  );
  expect(perMinute[0]).toBeLessThanOrEqual(15);
  expect(perMinute[1]).toBeLessThanOrEqual(10);
});

test("food surprise 3: a product without a grade has none", () => {
  const graded = (nutriscore_grade: unknown) =>
    product({ code: "1", nutriscore_grade }).nutri_score;
  expect(["a", "E", "unknown", "not-applicable", ""].map(graded)).toEqual([
    "a",
    "e",
    undefined,
    undefined,
    undefined,
  ]);
});

test("food surprise 4: brands are separated by commas", () => {
  expect(product({ code: "1", brands: "Sample, Ada's ,," }).brands).toEqual(["Sample", "Ada's"]);
  expect(product({ code: "1" }).brands).toEqual([]);
});

test("food surprise 5: words and tags have a search each", async () => {
  const paths: string[] = [];
  const list = (request: SampleRequest) => {
    paths.push(`${request.path} ${request.query?.search_terms ?? request.query?.brands_tags}`);
    return { count: 0, products: [] };
  };
  const samples = [
    { ...bundled, answers: { "GET /api/v2/search": list, "GET /cgi/search.pl": list } },
  ];
  await play("food.products.search", { q: "juice" }, { samples });
  await play("food.products.search", { brand: "sample" }, { samples });
  expect(paths).toEqual(["/cgi/search.pl juice", "/api/v2/search sample"]);
  for (const wrong of [{}, { q: "juice", brand: "sample" }]) {
    const played = await play("food.products.search", wrong, { samples });
    expect(played).toMatchObject({ ok: false, type: "validation_error" });
  }
});

test("food surprise 6: numbers may be texts", async () => {
  const products = [{ code: "40000000", nutriments: { fat_100g: "1.5", salt_100g: 0.2 } }];
  const answers = { "GET /cgi/search.pl": () => ({ count: "1", products }) };
  const samples = [{ ...bundled, answers }];
  const played = await play("food.products.search", { q: "juice" }, { samples });
  expect(played).toMatchObject({
    ok: true,
    data: [{ barcode: "40000000", nutrition: { fat: 1.5, salt: 0.2 } }],
  });
});

test("food surprise 7: amounts have five decimals at most", () => {
  const nutriments = {
    fat_100g: 2.9000000953674,
    salt_100g: "1.2999999523163",
    sugars_100g: 0.012,
    fiber_100g: "0.0393700787401575",
  };
  expect(product({ code: "1", nutriments }).nutrition).toEqual({
    fat: 2.9,
    salt: 1.3,
    sugars: 0.012,
    fiber: 0.03937,
  });
});

test("barcodes are digits, and times are ISO 8601", () => {
  expectValues("food.products.get", "barcode", ["3017620422003", "30 17-6204"], ["x"]);
  expect(product({ code: "1", created_t: 1_415_014_644, last_modified_t: 9e15 })).toMatchObject({
    created_at: "2014-11-03T11:37:24.000Z",
  });
});

test("the barcode of every found product is taken, a store's own may be short or long", () => {
  const accepted = ["1234", "3017620422003", "301-762 0422003", "9".repeat(24)];
  expectValues("food.products.get", "barcode", accepted, ["", "123", "9".repeat(25), "12a4"]);
});
