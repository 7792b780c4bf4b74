import type { government } from "../../../contract/areas/government/index.ts";
import type { Connector } from "../../connector.ts";
import { federalRegister } from "../../upstreams/federal-register/client.ts";
import { need, object } from "#wire";
import { document, documentsFound } from "./documents.map.ts";
import { inOrder } from "./order.ts";
import { numbered } from "./pages.ts";

type Documents = Pick<
  Connector<typeof government>,
  "government.documents.search" | "government.documents.get"
>;

/** The source shows 50 pages of a search, so small pages would end it early. */
const rowsPerPage = 100;

const kinds = {
  rule: "RULE",
  proposed_rule: "PRORULE",
  notice: "NOTICE",
  presidential_document: "PRESDOCU",
};

export const documents: Documents = {
  "government.documents.search": (input, call) => {
    inOrder(input.from_date, input.to_date, ["from_date", "to_date"]);
    return numbered(call, {
      limit: input.limit,
      size: rowsPerPage,
      first: 1,
      key: (row) => row.document_number,
      async fetch(page, per_page) {
        const { body } = await call.send(federalRegister, {
          method: "GET",
          path: "/api/v1/documents.json",
          query: {
            "conditions[term]": input.q,
            "conditions[type][]":
              input.document_type === undefined ? undefined : kinds[input.document_type],
            "conditions[agencies][]": input.agency,
            "conditions[publication_date][gte]": input.from_date,
            "conditions[publication_date][lte]": input.to_date,
            order: input.sort,
            per_page,
            page,
          },
        });
        const { rows, pages } = documentsFound(body);
        return { rows, next: page < pages ? page + 1 : null };
      },
    });
  },
  "government.documents.get": async ({ document_number }, call) => {
    const path = `/api/v1/documents/${encodeURIComponent(document_number)}.json`;
    const { body } = await call.send(federalRegister, { method: "GET", path });
    return { data: document(need(object(body), "document")) };
  },
};
