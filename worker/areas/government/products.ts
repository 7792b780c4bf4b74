import type { government } from "../../../contract/areas/government/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { openFda } from "../../upstreams/openfda/client.ts";
import type { Wire } from "#wire";
import { drugEvent, drugLabel } from "./drugs.map.ts";
import { inOrder } from "./order.ts";
import { numbered } from "./pages.ts";
import { deviceEvent, productPage, recall } from "./products.map.ts";

type Products = Pick<
  Connector<typeof government>,
  | "government.drugs.events"
  | "government.drugs.labels"
  | "government.devices.events"
  | "government.recalls.search"
>;

/** Most rows of a page, and most rows before a page, of the source. */
const most = { page: 1000, skipped: 25_000 };

/** Conditions of a search that must all hold; absent ones are left out. */
const all = (...conditions: (string | undefined)[]) => {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? undefined : present.join(" AND ");
};

/** The words of an input's field in any of the fields, next to each other. Quotation marks and backslashes would end the phrase. */
export function phraseIn(
  fields: readonly string[],
  name: string,
  words: string | undefined,
): string | undefined {
  if (words === undefined) return undefined;
  const phrase = words.replace(/["\\]/g, " ").trim();
  // Without a condition the answer would be everything, at its price.
  if (phrase === "") throw invalid("query", name, "invalid_value", `${name}: must contain words`);
  const any = fields.map((field) => `${field}:"${phrase}"`);
  return any.length === 1 ? any[0] : `(${any.join(" OR ")})`;
}

function span(field: string, from: string | undefined, to: string | undefined) {
  inOrder(from, to, ["from_date", "to_date"]);
  if (from === undefined && to === undefined) return undefined;
  return `${field}:[${from ?? "1900-01-01"} TO ${to ?? "2099-12-31"}]`;
}

interface Search<Row> {
  path: string;
  search: string | undefined;
  sort?: string;
  read: (row: Wire) => Row;
  key: (row: Row) => string;
}

const pages = <Row>(call: Call, limit: number, { path, search, sort, read, key }: Search<Row>) =>
  numbered(call, {
    limit,
    size: Math.min(most.page, limit),
    first: 0,
    key,
    async fetch(skip, size) {
      const query = { search, sort, limit: size, skip };
      const { body } = await call.send(openFda, { method: "GET", path, query });
      const { rows, total } = productPage(body, read);
      const next = skip + size;
      return { rows, next: next < total && next <= most.skipped ? next : null };
    },
  });

const orders = { newest: "desc", oldest: "asc" };
const eventTypes = { death: "Death", injury: "Injury", malfunction: "Malfunction" };
const classes = { 1: "Class I", 2: "Class II", 3: "Class III" };

export const products: Products = {
  "government.drugs.events": (input, call) => {
    const drug = "patient.drug";
    return pages(call, input.limit, {
      path: "/drug/event.json",
      search: all(
        phraseIn(
          [
            `${drug}.medicinalproduct`,
            `${drug}.openfda.brand_name`,
            `${drug}.openfda.generic_name`,
          ],
          "drug",
          input.drug,
        ),
        phraseIn(["patient.reaction.reactionmeddrapt"], "reaction", input.reaction),
        input.is_serious === undefined ? undefined : `serious:${input.is_serious ? 1 : 2}`,
        span("receivedate", input.from_date, input.to_date),
      ),
      sort: `receivedate:${orders[input.sort]}`,
      read: drugEvent,
      key: (row) => `${row.report_id} ${row.report_version}`,
    });
  },
  "government.drugs.labels": (input, call) =>
    pages(call, input.limit, {
      path: "/drug/label.json",
      search: all(
        phraseIn(
          ["openfda.brand_name", "openfda.generic_name", "openfda.substance_name"],
          "drug",
          input.drug,
        ),
        phraseIn(["openfda.manufacturer_name"], "manufacturer", input.manufacturer),
        phraseIn(["set_id"], "set_id", input.set_id),
      ),
      sort: "effective_time:desc",
      read: drugLabel,
      key: (row) => row.label_id,
    }),
  "government.devices.events": (input, call) =>
    pages(call, input.limit, {
      path: "/device/event.json",
      search: all(
        phraseIn(["device.brand_name", "device.generic_name"], "device", input.device),
        phraseIn(["device.manufacturer_d_name"], "manufacturer", input.manufacturer),
        phraseIn(
          ["event_type"],
          "event_type",
          input.event_type === undefined ? undefined : eventTypes[input.event_type],
        ),
        span("date_received", input.from_date, input.to_date),
      ),
      sort: `date_received:${orders[input.sort]}`,
      read: deviceEvent,
      key: (row) => row.report_id,
    }),
  "government.recalls.search": (input, call) =>
    pages(call, input.limit, {
      path: `/${input.product_type}/enforcement.json`,
      search: all(
        phraseIn(["product_description", "reason_for_recall"], "q", input.q),
        phraseIn(["recalling_firm"], "firm", input.firm),
        phraseIn(
          ["classification"],
          "recall_class",
          input.recall_class === undefined ? undefined : classes[input.recall_class],
        ),
        phraseIn(["status"], "recall_status", input.recall_status),
        span("report_date", input.from_date, input.to_date),
      ),
      sort: `report_date:${orders[input.sort]}`,
      read: recall,
      key: (row) => row.recall_number,
    }),
};
