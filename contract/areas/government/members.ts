import * as z from "zod";
import { page, perPage } from "../../fields.ts";
import { operation } from "../../operation.ts";
import { bioguideId } from "./input.ts";
import { governmentMember, governmentMemberBill, governmentMemberFound } from "./member-records.ts";
import { congressGov } from "./sources.ts";

const sources = [congressGov];
const paging = page({ most: 250, default: 20 });

export const members = [
  operation({
    id: "government.members.list",
    method: "GET",
    path: "/government/members",
    summary: "Members of Congress by congress, state and district",
    description:
      "The source has no search by name. With both `congress` and `state` it requires `district` as well. For a past congress it advises `is_current=false`, which then shows most.",
    sources,
    input: z.strictObject({
      congress: z
        .int()
        .min(1)
        .max(199)
        .optional()
        .describe("Only members of the congress with this number, such as 119 for 2025 and 2026"),
      state: z
        .string()
        .regex(/^[A-Za-z]{2}$/, { message: "must be a state's code of two letters" })
        .toUpperCase()
        .optional()
        .describe("Only members for this state or territory, two letters"),
      district: z
        .int()
        .min(0)
        .max(99)
        .optional()
        .describe(
          "Only members of the House for this district, 0 where the state has one; requires `state`",
        ),
      is_current: z
        .boolean()
        .optional()
        .describe("Only members who serve at present, or the source's choice without that"),
      ...paging,
    }),
    data: z.array(governmentMemberFound),
    paginated: true,
    records: perPage,
    example: { state: "VT", limit: 5 },
  }),
  operation({
    id: "government.members.get",
    method: "GET",
    path: "/government/members/{bioguide_id}",
    summary: "A member of Congress with terms, parties and offices",
    sources,
    input: z.strictObject({ bioguide_id: bioguideId }),
    data: governmentMember,
    records: { kind: "one" },
    example: { bioguide_id: "S000001" },
  }),
  operation({
    id: "government.members.bills",
    method: "GET",
    path: "/government/members/{bioguide_id}/bills",
    summary: "Bills and resolutions of a member as sponsor or cosponsor",
    description:
      "Rows without the number of a bill or resolution, such as amendments, are left out.",
    sources,
    input: z.strictObject({
      bioguide_id: bioguideId,
      role: z
        .enum(["sponsor", "cosponsor"])
        .default("sponsor")
        .describe("Bills that the member introduced, or supported"),
      ...paging,
    }),
    data: z.array(governmentMemberBill),
    paginated: true,
    records: perPage,
    example: { bioguide_id: "S000001", limit: 5 },
  }),
] as const;
