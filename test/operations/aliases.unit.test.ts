import { expect, test } from "vitest";
import { decodeInput } from "../../api/input.ts";
import { openApi } from "../../api/openapi/openapi.ts";
import { GatewayError } from "../../contract/errors.ts";
import { areas, operations } from "../../contract/index.ts";
import { requestOf } from "./inputs.ts";
import type { Input } from "./play.ts";

const named = [...operations.values()].filter((op) => op.cursorAliases.length > 0);
interface Described {
  operationId: string;
  parameters?: object[];
  requestBody?: { content: { "application/json": { schema: { properties: object } } } };
}
const described = Object.values(
  (openApi(areas) as { paths: Record<string, Record<string, Described>> }).paths,
).flatMap((item) => Object.values(item));

test("these operations have other names for their cursor", () => {
  const byName = Map.groupBy(
    named.flatMap((op) => op.cursorAliases.map((name) => ({ name, id: op.id }))),
    ({ name }) => name,
  );
  const idsOf = (name: string) => byName.get(name)?.map(({ id }) => id);
  expect([...byName.keys()].sort()).toEqual([
    "next_token",
    "offset_token",
    "pagination_token",
    "search_after_token",
  ]);
  expect(idsOf("offset_token")?.sort()).toEqual([
    "seo.keywords.for_site",
    "seo.keywords.ideas",
    "seo.keywords.suggestions",
  ]);
  expect(idsOf("search_after_token")?.sort()).toEqual([
    "geo.mentions.search",
    "seo.backlinks.list",
  ]);
  const microblog = [...operations.values()].filter(
    (op) => op.area === "microblog" && op.paginated,
  );
  expect(idsOf("next_token")).toEqual(microblog.map((op) => op.id));
  expect(idsOf("pagination_token")).toEqual(idsOf("next_token"));
});

test.each(named)(
  "$id: other names of cursor act as the cursor, and are documented as deprecated",
  (op) => {
    for (const name of op.cursorAliases) {
      const decoded = (more: Input) =>
        decodeInput(op, requestOf(op, { ...(op.example as Input), ...more }));
      expect(decoded({ [name]: "abc" })).toEqual(decoded({ cursor: "abc" }));
      for (const [more, path] of [
        [{ [name]: "a", cursor: "b" }, name],
        [{ [name]: "" }, name],
      ] as const) {
        let fault: unknown;
        try {
          decoded(more);
        } catch (error) {
          fault = error;
        }
        expect(fault).toBeInstanceOf(GatewayError);
        const where = op.method === "POST" ? "body" : "query";
        expect((fault as GatewayError).issues).toMatchObject([{ in: where, path }]);
      }
      const documented = described.find(({ operationId }) => operationId === op.id);
      const { parameters, requestBody } = documented ?? {};
      if (requestBody) {
        const { properties } = requestBody.content["application/json"].schema;
        expect(properties).toMatchObject({ [name]: { deprecated: true, maxLength: 8192 } });
      } else expect(parameters).toContainEqual(expect.objectContaining({ name, deprecated: true }));
    }
  },
);
