import * as z from "zod";

const billId = z.string().describe("Congress, kind and number: 117-hr-3076");
const actionText = z.string().describe("What happened, in the words of the chamber");
const actionDate = z.string().optional().describe("Day of the action, YYYY-MM-DD");
const actionTime = z.string().optional().describe("Time of day in Washington");

const latestAction = z
  .object({ text: actionText, date: actionDate, time: actionTime })
  .meta({ id: "GovernmentBillLatestAction" });

export const billIdentity = {
  bill_id: billId,
  congress: z.int().describe("Number of the congress; each lasts two years"),
  bill_type: z.string().describe("hr, s, hjres, sjres, hconres, sconres, hres or sres"),
  bill_number: z.string(),
  title: z.string().optional(),
  origin_chamber: z.string().optional(),
  latest_action: latestAction.optional(),
  updated_date: z.string().optional(),
  url: z.string().describe("Page of the bill at Congress.gov"),
};

export const governmentBillFound = z.object(billIdentity).meta({ id: "GovernmentBillFound" });

const member = {
  bioguide_id: z.string(),
  name: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  party: z.string().optional(),
  state_code: z.string().optional(),
  district: z.string().optional(),
};

const number = (description: string) => z.int().min(0).optional().describe(description);

export const governmentBill = z
  .object({
    ...billIdentity,
    introduced_date: z.string().optional(),
    policy_area: z.string().optional(),
    sponsors: z.array(z.object(member)),
    cosponsor_count: number("Members who support it beside the sponsor"),
    action_count: number("Actions so far"),
    amendment_count: number("Proposed amendments"),
    committee_count: number("Committees that dealt with it"),
    related_bill_count: number("Bills that are like it"),
    summary_count: number("Summaries of its versions"),
    text_version_count: number("Versions of its text"),
    laws: z.array(
      z.object({
        law_type: z.string().optional(),
        law_number: z.string(),
      }),
    ),
    committee_reports: z.array(z.string()).describe("Reports of committees, as they are cited"),
    cost_estimates: z.array(
      z.object({
        title: z.string().optional(),
        description: z.string().optional(),
        published_at: z.string().optional().describe("When the estimate was published, ISO 8601"),
        url: z.string(),
      }),
    ),
    constitutional_authority_html: z.string().optional(),
  })
  .meta({ id: "GovernmentBill" });

export const governmentBillAction = z
  .object({
    text: actionText,
    date: actionDate,
    time: actionTime,
    action_type: z.string().optional(),
    action_code: z.string().optional(),
    reported_by: z.string().optional(),
    committees: z.array(z.object({ name: z.string(), committee_code: z.string().optional() })),
    votes: z.array(
      z.object({
        roll_number: z.int(),
        chamber: z.string().optional(),
        congress: z.int().optional().describe("Number of the congress"),
        session: z.int().optional(),
        voted_at: z.string().optional(),
        url: z.string().optional(),
      }),
    ),
  })
  .meta({ id: "GovernmentBillAction" });

export const governmentBillSummary = z
  .object({
    version: z.string().optional().describe("Stage of the bill that it describes"),
    version_code: z.string().optional(),
    date: actionDate,
    updated_at: z.string().optional(),
    text_html: z.string().describe("The summary, as HTML"),
  })
  .meta({ id: "GovernmentBillSummary" });

export const governmentBillCosponsor = z
  .object({
    ...member,
    is_original: z.boolean().optional(),
    sponsored_date: z.string().optional(),
    withdrawn_date: z.string().optional(),
  })
  .meta({ id: "GovernmentBillCosponsor" });

export type GovernmentBillFound = z.output<typeof governmentBillFound>;
export type GovernmentBill = z.output<typeof governmentBill>;
export type GovernmentBillAction = z.output<typeof governmentBillAction>;
export type GovernmentBillSummary = z.output<typeof governmentBillSummary>;
export type GovernmentBillCosponsor = z.output<typeof governmentBillCosponsor>;
