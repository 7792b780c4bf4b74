import type { government } from "../../../contract/areas/government/index.ts";
import type { InputOf } from "../../../contract/operation.ts";
import { invalid } from "../../../contract/errors.ts";
import type { Connector } from "../../connector.ts";
import { congressPages, getCongress } from "./congress.ts";
import { member, memberPages } from "./members.map.ts";

type Members = Pick<
  Connector<typeof government>,
  "government.members.list" | "government.members.get" | "government.members.bills"
>;

type Wanted = Pick<
  InputOf<Extract<(typeof government)["operations"][number], { id: "government.members.list" }>>,
  "congress" | "state" | "district"
>;

/** The source has a path for each of these, and for no other combination. */
function pathOf({ congress, state, district }: Wanted): string {
  if (district !== undefined && state === undefined) {
    throw invalid("query", "state", "required", "state: is required with district");
  }
  if (congress !== undefined && state !== undefined && district === undefined) {
    const rule = "district: is required with congress and state";
    throw invalid("query", "district", "required", rule);
  }
  const parts = [congress === undefined ? undefined : `congress/${congress}`, state, district];
  return ["/member", ...parts.filter((part) => part !== undefined)].join("/");
}

const lists = {
  sponsor: { path: "sponsored-legislation", read: memberPages.sponsored },
  cosponsor: { path: "cosponsored-legislation", read: memberPages.cosponsored },
};

export const members: Members = {
  "government.members.list": (input, call) =>
    congressPages(call, input.limit, {
      path: pathOf(input),
      query: { currentMember: input.is_current === undefined ? undefined : `${input.is_current}` },
      read: memberPages.members,
      key: (row) => row.bioguide_id,
    }),
  "government.members.get": async ({ bioguide_id }, call) => ({
    data: member(await getCongress(call, `/member/${bioguide_id}`)),
  }),
  "government.members.bills": ({ bioguide_id, role, limit }, call) =>
    congressPages(call, limit, {
      path: `/member/${bioguide_id}/${lists[role].path}`,
      read: lists[role].read,
      key: (row) => row.bill_id,
    }),
};
