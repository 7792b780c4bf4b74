import * as z from "zod";
import { day, page, perPage } from "../../fields.ts";
import { operation } from "../../operation.ts";
import {
  governmentBill,
  governmentBillAction,
  governmentBillCosponsor,
  governmentBillFound,
  governmentBillSummary,
} from "./bill-records.ts";
import { billId, billTypes } from "./input.ts";
import { congressGov } from "./sources.ts";

const sources = [congressGov];
const paging = page({ most: 250, default: 20 });
const example = { bill_id: "117-hr-3076", limit: 5 };

export const bills = [
  operation({
    id: "government.bills.list",
    method: "GET",
    path: "/government/bills",
    summary: "Bills and resolutions by congress, kind and day of their last change",
    description: "The source has no search by words.",
    sources,
    input: z.strictObject({
      congress: z
        .int()
        .min(6)
        .max(199)
        .optional()
        .describe("Number of the congress, such as 119 for 2025 and 2026; all by default"),
      bill_type: z
        .enum(billTypes)
        .optional()
        .describe("Only bills or resolutions of this kind; requires `congress`"),
      from_date: day("First day of the last change").optional(),
      to_date: day("Last day of the last change").optional(),
      sort: z
        .enum(["changed_last", "changed_first"])
        .default("changed_last")
        .describe("Order by the last change"),
      ...paging,
    }),
    data: z.array(governmentBillFound),
    paginated: true,
    records: perPage,
    example: { congress: 117, bill_type: "hr", limit: 5 },
  }),
  operation({
    id: "government.bills.get",
    method: "GET",
    path: "/government/bills/{bill_id}",
    summary: "A bill or resolution",
    sources,
    input: z.strictObject({ bill_id: billId }),
    data: governmentBill,
    records: { kind: "one" },
    example: { bill_id: "117-hr-3076" },
  }),
  operation({
    id: "government.bills.actions",
    method: "GET",
    path: "/government/bills/{bill_id}/actions",
    summary: "What happened to a bill, with committees and votes",
    sources,
    input: z.strictObject({ bill_id: billId, ...paging }),
    data: z.array(governmentBillAction),
    paginated: true,
    records: perPage,
    example,
  }),
  operation({
    id: "government.bills.summaries",
    method: "GET",
    path: "/government/bills/{bill_id}/summaries",
    summary: "Summaries of a bill at each of its stages",
    sources,
    input: z.strictObject({ bill_id: billId, ...paging }),
    data: z.array(governmentBillSummary),
    paginated: true,
    records: perPage,
    example,
  }),
  operation({
    id: "government.bills.cosponsors",
    method: "GET",
    path: "/government/bills/{bill_id}/cosponsors",
    summary: "Members who support a bill beside its sponsor",
    sources,
    input: z.strictObject({ bill_id: billId, ...paging }),
    data: z.array(governmentBillCosponsor),
    paginated: true,
    records: perPage,
    example,
  }),
] as const;
