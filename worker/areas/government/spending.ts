import type { government } from "../../../contract/areas/government/index.ts";
import type { Call, Connector } from "../../connector.ts";
import { usaSpending } from "../../upstreams/usaspending/client.ts";
import { need, object } from "#wire";
import { award, awardFound, commonColumns } from "./awards.map.ts";
import { inOrder } from "./order.ts";
import { numbered } from "./pages.ts";
import {
  agencies,
  agency,
  agencySpending,
  lastRecordOf,
  pageOf,
  recipient,
  recipientsFound,
  subAgencies,
} from "./recipients.map.ts";

type Spending = Pick<
  Connector<typeof government>,
  | "government.awards.search"
  | "government.awards.get"
  | "government.recipients.search"
  | "government.recipients.get"
  | "government.agencies.list"
  | "government.agencies.get"
  | "government.agencies.spending"
  | "government.agencies.sub_agencies"
>;

type Query = Readonly<Record<string, string | number | undefined>>;

const get = async (call: Call, path: string, query: Query = {}) =>
  (await call.send(usaSpending, { method: "GET", path: `/api/v2${path}`, query })).body;

const post = async (call: Call, path: string, body: unknown) =>
  (await call.send(usaSpending, { method: "POST", path: `/api/v2${path}`, body })).body;

/** Most rows of a page of the source. */
const most = {
  awards: 100,
  recipients: 1000,
  subAgencies: 100,
  /** Awards of a search that pages by number reach. */
  numbered: 10_000,
};

interface AwardKind {
  codes: readonly string[];
  /** Columns of such awards, among them those of amount and first day. */
  columns: readonly string[];
  amount: string;
  start: string;
}

const assistance = ["Award Type", "Total Outlays", "CFDA Number"];

/** A search covers one group of the source's codes. */
const kinds: Readonly<Record<string, AwardKind>> = {
  contracts: {
    codes: ["A", "B", "C", "D"],
    columns: ["End Date", "Contract Award Type", "Total Outlays"],
    amount: "Award Amount",
    start: "Start Date",
  },
  idvs: {
    codes: ["IDV_A", "IDV_B", "IDV_B_A", "IDV_B_B", "IDV_B_C", "IDV_C", "IDV_D", "IDV_E"],
    columns: ["Last Date to Order", "Contract Award Type", "Total Outlays"],
    amount: "Award Amount",
    start: "Start Date",
  },
  grants: {
    codes: ["02", "03", "04", "05"],
    columns: ["End Date", ...assistance],
    amount: "Award Amount",
    start: "Start Date",
  },
  loans: {
    codes: ["07", "08"],
    columns: ["Subsidy Cost", "CFDA Number"],
    amount: "Loan Value",
    start: "Issued Date",
  },
  direct_payments: {
    codes: ["06", "10"],
    columns: ["End Date", ...assistance],
    amount: "Award Amount",
    start: "Start Date",
  },
  other: {
    codes: ["09", "11", "-1"],
    columns: ["End Date", ...assistance],
    amount: "Award Amount",
    start: "Start Date",
  },
};

/** Both ends are required by the source. */
function spanOf(from: string | undefined, to: string | undefined, startedAt: number) {
  if (from === undefined && to === undefined) return undefined;
  const today = new Date(startedAt).toISOString().slice(0, 10);
  return [{ start_date: from ?? "2007-10-01", end_date: to ?? today }];
}

const hasAmount = (least: number | undefined, largest: number | undefined) =>
  least !== undefined || largest !== undefined;

export const spending: Spending = {
  "government.awards.search": (input, call) => {
    inOrder(input.from_date, input.to_date, ["from_date", "to_date"]);
    inOrder(input.min_amount, input.max_amount, ["min_amount", "max_amount"]);
    const kind = kinds[input.award_type] as AwardKind;
    const filters = {
      award_type_codes: kind.codes,
      keywords: input.q === undefined ? undefined : [input.q],
      recipient_search_text: input.recipient === undefined ? undefined : [input.recipient],
      agencies:
        input.agency === undefined
          ? undefined
          : [{ type: "awarding", tier: "toptier", name: input.agency }],
      time_period: spanOf(input.from_date, input.to_date, call.startedAt),
      award_amounts: hasAmount(input.min_amount, input.max_amount)
        ? [{ lower_bound: input.min_amount, upper_bound: input.max_amount }]
        : undefined,
    };
    const isByAmount = input.sort === "largest" || input.sort === "smallest";
    return numbered(call, {
      limit: input.limit,
      size: Math.min(most.awards, input.limit),
      first: 1,
      key: (row) => row.award_id,
      async fetch(page, limit, after) {
        const body = await post(call, "/search/spending_by_award/", {
          ...object(after),
          filters,
          fields: [...commonColumns, kind.amount, kind.start, ...kind.columns],
          sort: isByAmount ? kind.amount : kind.start,
          order: input.sort === "largest" || input.sort === "latest_start" ? "desc" : "asc",
          page,
          limit,
        });
        const { rows, hasNext } = pageOf(body, awardFound);
        const mark = (page + 1) * limit <= most.numbered ? undefined : lastRecordOf(body);
        return { rows, next: hasNext ? page + 1 : null, mark };
      },
    });
  },
  "government.awards.get": async ({ award_id }, call) => {
    const body = await get(call, `/awards/${encodeURIComponent(award_id)}/`);
    return { data: award(need(object(body), "award")) };
  },
  "government.recipients.search": ({ q, award_type, limit }, call) =>
    numbered(call, {
      limit,
      size: Math.min(most.recipients, limit),
      first: 1,
      key: (row) => row.recipient_id,
      async fetch(page, size) {
        const kind = award_type === "other" ? "other_financial_assistance" : award_type;
        const body = await post(call, "/recipient/", {
          keyword: q,
          award_type: kind,
          sort: "amount",
          order: "desc",
          page,
          limit: size,
        });
        const { rows, hasNext } = recipientsFound(body);
        return { rows, next: hasNext ? page + 1 : null };
      },
    }),
  "government.recipients.get": async ({ recipient_id, fiscal_year }, call) => {
    const body = await get(call, `/recipient/${recipient_id}/`, { year: fiscal_year });
    return { data: recipient(need(object(body), "recipient")) };
  },
  "government.agencies.list": async (_input, call) => ({
    data: agencies(await get(call, "/references/toptier_agencies/")),
  }),
  "government.agencies.get": async ({ agency_code, fiscal_year }, call) => ({
    data: agency(await get(call, `/agency/${agency_code}/`, { fiscal_year })),
  }),
  "government.agencies.spending": async ({ agency_code }, call) => ({
    data: agencySpending(await get(call, `/agency/${agency_code}/budgetary_resources/`)),
  }),
  "government.agencies.sub_agencies": ({ agency_code, fiscal_year, limit }, call) =>
    numbered(call, {
      limit,
      size: Math.min(most.subAgencies, limit),
      first: 1,
      key: (row) => row.name,
      async fetch(page, size) {
        const path = `/agency/${agency_code}/sub_agency/`;
        const { rows, hasNext } = subAgencies(
          await get(call, path, { fiscal_year, page, limit: size }),
        );
        return { rows, next: hasNext ? page + 1 : null };
      },
    }),
};
