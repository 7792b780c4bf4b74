import type { government } from "../../../contract/areas/government/index.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Call, Connector } from "../../connector.ts";
import { congress } from "../../upstreams/congress/client.ts";
import { bill, billPages } from "./bills.map.ts";
import { inOrder } from "./order.ts";
import { numbered } from "./pages.ts";

type Bills = Pick<
  Connector<typeof government>,
  | "government.bills.list"
  | "government.bills.get"
  | "government.bills.actions"
  | "government.bills.summaries"
  | "government.bills.cosponsors"
>;

type Query = Readonly<Record<string, string | number | undefined>>;

const get = async (call: Call, path: string, query: Query = {}) => {
  const request = { method: "GET", path: `/v3/bill${path}` } as const;
  return (await call.send(congress, { ...request, query: { format: "json", ...query } })).body;
};

const billPath = (billId: string) => `/${billId.replaceAll("-", "/")}`;

/** Most rows of a page of the source. */
const most = 250;

interface List<Row> {
  path: string;
  query?: Query;
  read: (body: unknown) => { rows: Row[]; total: number };
}

const pages = <Row>(call: Call, limit: number, { path, query, read }: List<Row>) =>
  numbered(call, {
    limit,
    size: Math.min(most, limit),
    first: 0,
    async fetch(offset, size) {
      const { rows, total } = read(await get(call, path, { ...query, offset, limit: size }));
      const next = offset + size;
      return { rows, next: next < total ? next : null };
    },
  });

const orders = { changed_last: "updateDate desc", changed_first: "updateDate asc" };

export const bills: Bills = {
  "government.bills.list": (input, call) => {
    inOrder(input.from_date, input.to_date, ["from_date", "to_date"]);
    if (input.bill_type !== undefined && input.congress === undefined) {
      throw invalid("query", "congress", "required", "congress: is required with bill_type");
    }
    const parts = [input.congress, input.bill_type].filter((part) => part !== undefined);
    return pages(call, input.limit, {
      path: parts.map((part) => `/${part}`).join(""),
      query: {
        fromDateTime: input.from_date === undefined ? undefined : `${input.from_date}T00:00:00Z`,
        toDateTime: input.to_date === undefined ? undefined : `${input.to_date}T23:59:59Z`,
        sort: orders[input.sort],
      },
      read: billPages.bills,
    });
  },
  "government.bills.get": async ({ bill_id }, call) => ({
    data: bill(await get(call, billPath(bill_id))),
  }),
  "government.bills.actions": ({ bill_id, limit }, call) =>
    pages(call, limit, { path: `${billPath(bill_id)}/actions`, read: billPages.actions }),
  "government.bills.summaries": ({ bill_id, limit }, call) =>
    pages(call, limit, { path: `${billPath(bill_id)}/summaries`, read: billPages.summaries }),
  "government.bills.cosponsors": ({ bill_id, limit }, call) =>
    pages(call, limit, { path: `${billPath(bill_id)}/cosponsors`, read: billPages.cosponsors }),
};
