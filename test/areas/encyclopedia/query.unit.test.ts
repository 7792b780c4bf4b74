import { expect, test } from "vitest";
import { queryAnswer } from "../../../worker/areas/encyclopedia/query.map.ts";
import { wikidataQuery } from "../../../worker/upstreams/wikimedia/client.ts";
import { ShapeError } from "#wire";
import { issues } from "../input.ts";
import { play } from "../play.ts";

const uri = (id: string) => ({ type: "uri", value: `http://www.wikidata.org/entity/${id}` });

test("encyclopedia surprise 9: variables without a value are absent", async () => {
  const body = {
    head: { vars: ["item", "height"] },
    results: {
      bindings: [
        { item: uri("Q42") },
        {
          height: { type: "literal", value: "", datatype: "xsd:string" },
          item: uri("statement/1"),
        },
        { item: uri("Q7") },
      ],
    },
  };
  expect(queryAnswer(body, 2)).toEqual({
    columns: ["item", "height"],
    rows: [
      { cells: [{ column: "item", ...uri("Q42"), entity_id: "Q42" }] },
      {
        cells: [
          { column: "item", ...uri("statement/1") },
          { column: "height", type: "literal", value: "", data_type: "xsd:string" },
        ],
      },
    ],
    is_complete: false,
  });
  expect(() => queryAnswer({ head: { vars: [] } }, 5)).toThrow(ShapeError);
  const ask = { query: "SELECT ?item WHERE { ?item wdt:P31 wd:Q5 }", limit: 2 };
  const played = await play("encyclopedia.query", ask);
  expect(played).toMatchObject({ ok: true, records: 1, data: { is_complete: false } });
});

test("encyclopedia: faults of a query are the caller's, a minute's limit is nobody's", () => {
  const judged = (status: number, headers: Record<string, string> = {}) =>
    wikidataQuery.judge({ status, headers, body: undefined });
  expect(judged(400)).toMatchObject({ type: "validation_error", field: "query" });
  // Without a word on retries, 500, 502, 503 and 504 are repeated.
  expect(judged(500)).toMatchObject({ type: "upstream_unavailable", retry: false });
  expect(judged(429, { "retry-after": "12" })).toMatchObject({ retryAfter: 12 });
  expect(judged(403)).toMatchObject({ operator: "access refused" });
  expect(issues("encyclopedia.query", { query: "ASK { wd:Q42 wdt:P31 wd:Q5 }" })).toEqual([
    "query",
  ]);
});
