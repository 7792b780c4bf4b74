import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { vary } from "../../../sandbox/vary.ts";

function answer({ form, empty }: SampleRequest) {
  const query = form?.query ?? "";
  return {
    head: { vars: ["item", "itemLabel", "height", "place"] },
    results: {
      bindings: Array.from({ length: empty ? 0 : 6 }, (_, index) => {
        const v = vary("sparql", query, index);
        return {
          item: {
            type: "uri",
            value: `http://www.wikidata.org/entity/Q${v.digits("item", 8)}`,
          },
          itemLabel: {
            type: "literal",
            "xml:lang": "en",
            value: `${v.pick("label", words)} lighthouse`,
          },
          height: {
            type: "literal",
            datatype: "http://www.w3.org/2001/XMLSchema#decimal",
            value: String(v.int("height", 10, 90)),
          },
          ...(index % 2 === 0 ? { place: { type: "bnode", value: `t${index}` } } : {}),
        };
      }),
    },
  };
}

/** Sample answers of Wikidata's query service, written for this project. */
export const wikidataQuery: Samples = {
  upstream: "wikidata-query",
  answers: { "POST /sparql": answer },
  faults: {
    not_found: { status: 404, body: undefined },
    upstream_error: { status: 406, body: undefined },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
