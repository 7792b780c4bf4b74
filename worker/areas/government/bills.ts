import type { government } from "../../../contract/areas/government/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Connector } from "../../connector.ts";
import { bill, billPages } from "./bills.map.ts";
import { congressPages, getCongress } from "./congress.ts";
import { inOrder } from "./order.ts";

type Bills = Pick<
  Connector<typeof government>,
  | "government.bills.list"
  | "government.bills.get"
  | "government.bills.actions"
  | "government.bills.summaries"
  | "government.bills.cosponsors"
>;

const billPath = (billId: string) => `/bill/${billId.replaceAll("-", "/")}`;

const orders = { changed_last: "updateDate desc", changed_first: "updateDate asc" };

export const bills: Bills = {
  "government.bills.list": (input, call) => {
    inOrder(input.from_date, input.to_date, ["from_date", "to_date"]);
    if (input.bill_type !== undefined && input.congress === undefined) {
      throw invalid("query", "congress", "required", "congress: is required with bill_type");
    }
    const parts = [input.congress, input.bill_type].filter((part) => part !== undefined);
    return congressPages(call, input.limit, {
      path: ["bill", ...parts].map((part) => `/${part}`).join(""),
      query: {
        fromDateTime: input.from_date === undefined ? undefined : `${input.from_date}T00:00:00Z`,
        toDateTime: input.to_date === undefined ? undefined : `${input.to_date}T23:59:59Z`,
        sort: orders[input.sort],
      },
      read: billPages.bills,
      key: (row) => row.bill_id,
    });
  },
  "government.bills.get": async ({ bill_id }, call) => ({
    data: bill(await getCongress(call, billPath(bill_id))),
  }),
  "government.bills.actions": ({ bill_id, limit }, call) =>
    congressPages(call, limit, { path: `${billPath(bill_id)}/actions`, read: billPages.actions }),
  "government.bills.summaries": ({ bill_id, limit }, call) =>
    congressPages(call, limit, {
      path: `${billPath(bill_id)}/summaries`,
      read: billPages.summaries,
    }),
  "government.bills.cosponsors": ({ bill_id, limit }, call) =>
    congressPages(call, limit, {
      path: `${billPath(bill_id)}/cosponsors`,
      read: billPages.cosponsors,
      key: (row) => row.bioguide_id,
    }),
};
