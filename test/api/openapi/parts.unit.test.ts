import { expect, test } from "vitest";
import { partsOf } from "../../../api/openapi/parts.ts";

const refTo = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
const of = (tag: string, ...names: string[]) => ({ get: { tags: [tag], is: names.map(refTo) } });

const document = {
  openapi: "3.1.0",
  paths: {
    "/tea": of("tea", "Leaf", "Page"),
    "/coffee": of("coffee", "Bean", "Page"),
    "/cocoa": of("cocoa"),
    "/account": of("gateway", "Account"),
  },
  components: {
    schemas: {
      Account: {},
      Bean: { of: refTo("Shrub") },
      Error: {},
      Leaf: { of: refTo("Vein") },
      Page: {},
      Shrub: { again: refTo("Bean") },
      Unused: {},
      Vein: {},
    },
    responses: { "400": refTo("Error") },
  },
};

test("an area has its paths and what they alone refer to, own has the rest", () => {
  const parts = Object.fromEntries(partsOf(document));
  const names = Object.entries(parts).map(([name, part]) => {
    const { paths, components } = part as typeof document;
    return [name, Object.keys(paths), Object.keys(components.schemas)];
  });
  expect(names).toEqual([
    ["tea", ["/tea"], ["Leaf", "Vein"]],
    ["coffee", ["/coffee"], ["Bean", "Shrub"]],
    ["cocoa", ["/cocoa"], []],
    ["own", ["/account"], ["Account", "Error", "Page", "Unused"]],
  ]);
  expect(parts["own"]).toMatchObject({
    openapi: "3.1.0",
    components: { responses: document.components.responses },
  });
});
