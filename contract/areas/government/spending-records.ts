import * as z from "zod";

const dollars = (description: string) => z.number().describe(`${description}, in US dollars`);

const budgetYear = z.int().describe("Budget year, which begins in October of the year before");

const governmentAddress = z
  .object({
    lines: z.array(z.string()).describe("Street and house"),
    city: z.string().optional(),
    county: z.string().optional(),
    state: z.string().optional().describe("Name of the state or province"),
    state_code: z.string().optional(),
    postal_code: z.string().optional(),
    country: z.string().optional(),
    country_code: z.string().optional().describe("ISO 3166-1 code of three letters"),
    congressional_district: z.string().optional(),
  })
  .meta({ id: "GovernmentAddress" });

const governmentAgencyOfAward = z
  .object({
    name: z.string(),
    agency_code: z.string().optional(),
    abbreviation: z.string().optional(),
    sub_agency: z.string().optional(),
    sub_agency_code: z.string().optional(),
    office: z.string().optional(),
  })
  .meta({ id: "GovernmentAgencyOfAward" });

const awardId = z.string().describe("Id of the award at the source");
const awardNumber = z
  .string()
  .optional()
  .describe("Number of the contract, grant or loan as the agency gave it");
const awardType = z.string().optional().describe("Kind of award, as the source words it");

export const governmentAwardFound = z
  .object({
    award_id: awardId,
    award_number: awardNumber,
    award_type: awardType,
    amount: dollars("Obligations, or the face value of a loan").optional(),
    outlayed_amount: dollars("Paid out so far").optional(),
    subsidy_cost: dollars("Cost of a loan to the government").optional(),
    description: z.string().optional(),
    recipient_name: z.string().optional(),
    recipient_id: z.string().optional(),
    recipient_uei: z.string().optional(),
    agency: z.string().optional().describe("Department or agency that awards it"),
    sub_agency: z.string().optional(),
    funding_agency: z.string().optional().describe("Department or agency that pays"),
    funding_sub_agency: z.string().optional().describe("The part of it that pays"),
    start_date: z.string().optional(),
    end_date: z.string().optional(),
    updated_date: z.string().optional(),
    assistance_listing: z.string().optional(),
    state_code: z.string().optional().describe("State in which the work is done"),
    country_code: z.string().optional().describe("Country in which the work is done"),
    url: z.string().describe("Page of the award at the source"),
  })
  .meta({ id: "GovernmentAwardFound" });

export const governmentAward = z
  .object({
    award_id: awardId,
    award_number: awardNumber,
    category: z.string().optional().describe("contract, idv, grant, loans, direct payment, …"),
    award_type: awardType,
    description: z.string().optional(),
    obligated_amount: dollars("Obligations so far").optional(),
    exercised_amount: dollars("Value of the contract with the options taken").optional(),
    potential_amount: dollars("Value of the contract with all options").optional(),
    subsidy_cost: dollars("Cost of a loan to the government").optional(),
    loan_amount: dollars("Face value of a loan").optional(),
    non_federal_amount: dollars("Share of others").optional(),
    total_funding: dollars("Obligations and the share of others").optional(),
    subaward_count: z.int().min(0).optional(),
    subaward_amount: dollars("Sum of the awards that the recipient passes on").optional(),
    signed_date: z.string().optional(),
    start_date: z.string().optional(),
    end_date: z.string().optional(),
    potential_end_date: z.string().optional(),
    updated_date: z.string().optional(),
    parent_award_id: z.string().optional(),
    parent_award_number: z.string().optional(),
    awarding_agency: governmentAgencyOfAward.optional(),
    funding_agency: governmentAgencyOfAward.optional().describe("Agency that pays"),
    recipient_name: z.string().optional(),
    recipient_id: z.string().optional(),
    recipient_uei: z.string().optional(),
    parent_recipient_id: z.string().optional(),
    parent_recipient_name: z.string().optional(),
    business_categories: z.array(z.string()),
    recipient_address: governmentAddress.optional(),
    place_of_performance: governmentAddress.optional(),
    naics_code: z.string().optional(),
    naics: z.string().optional(),
    product_or_service_code: z.string().optional(),
    product_or_service: z.string().optional(),
    solicitation_id: z.string().optional(),
    competition: z.string().optional(),
    offers_count: z.int().min(0).optional(),
    set_aside: z.string().optional(),
    pricing: z.string().optional(),
    assistance_listings: z.array(
      z.object({
        number: z.string().describe("Number of the programme"),
        title: z.string().optional(),
        obligated_amount: dollars("Obligations under the programme").optional(),
        url: z.string().optional(),
      }),
    ),
    url: z.string().describe("Page of the award at the source"),
  })
  .meta({ id: "GovernmentAward" });

const recipientName = z.string().optional().describe("Name; absent where it is not given");
const level = z
  .string()
  .optional()
  .describe("parent, child, or recipient where it has neither parents nor children");

export const governmentRecipientFound = z
  .object({
    recipient_id: z.string(),
    name: recipientName,
    uei: z.string().optional(),
    level,
    amount: dollars("Received in the last twelve months").optional(),
  })
  .meta({ id: "GovernmentRecipientFound" });

export const governmentRecipient = z
  .object({
    recipient_id: z.string(),
    name: recipientName,
    other_names: z.array(z.string()).describe("Other names of the recipient"),
    uei: z.string().optional(),
    level,
    parents: z.array(
      z.object({ recipient_id: z.string(), name: recipientName, uei: z.string().optional() }),
    ),
    business_categories: z.array(z.string()),
    address: governmentAddress.optional(),
    amount: dollars("Received in the span of time").optional(),
    transaction_count: z.int().min(0).optional(),
    loan_amount: dollars("Face value of its loans").optional(),
    loan_transaction_count: z.int().min(0).optional(),
  })
  .meta({ id: "GovernmentRecipient" });

export const governmentAgencies = z
  .object({
    agencies: z.array(
      z.object({
        agency_code: z.string(),
        name: z.string(),
        abbreviation: z.string().optional(),
        budget_amount: dollars("Budget of the year so far").optional(),
        obligated_amount: dollars("Obligations of the year so far").optional(),
        outlayed_amount: dollars("Paid out in the year so far").optional(),
        budget_share: z.number().optional(),
        fiscal_year: budgetYear.optional(),
        fiscal_quarter: z.int().optional(),
      }),
    ),
  })
  .meta({ id: "GovernmentAgencies" });

export const governmentAgency = z
  .object({
    agency_code: z.string(),
    name: z.string(),
    abbreviation: z.string().optional(),
    fiscal_year: budgetYear.optional(),
    mission: z.string().optional(),
    website_url: z.string().optional(),
    budget_request_url: z.string().optional(),
    sub_agency_count: z.int().min(0).optional(),
  })
  .meta({ id: "GovernmentAgency" });

export const governmentAgencySpending = z
  .object({
    agency_code: z.string(),
    series: z
      .array(
        z.object({
          fiscal_year: budgetYear,
          budget_amount: dollars("Budget of the agency").optional(),
          total_budget_amount: dollars("Budget of all agencies together").optional(),
          obligated_amount: dollars("Obligations of the agency").optional(),
          outlayed_amount: dollars("Paid out by the agency").optional(),
        }),
      )
      .describe("Budget years, oldest first"),
  })
  .meta({ id: "GovernmentAgencySpending" });

const activity = {
  obligated_amount: dollars("Obligations of the year").optional(),
  transaction_count: z.int().min(0).optional(),
  new_award_count: z.int().min(0).optional(),
};

export const governmentSubAgency = z
  .object({
    name: z.string(),
    abbreviation: z.string().optional(),
    ...activity,
    offices: z.array(
      z.object({
        name: z.string(),
        office_code: z.string().optional(),
        ...activity,
      }),
    ),
  })
  .meta({ id: "GovernmentSubAgency" });

export type GovernmentAwardFound = z.output<typeof governmentAwardFound>;
export type GovernmentAward = z.output<typeof governmentAward>;
export type GovernmentRecipientFound = z.output<typeof governmentRecipientFound>;
export type GovernmentRecipient = z.output<typeof governmentRecipient>;
export type GovernmentAgencies = z.output<typeof governmentAgencies>;
export type GovernmentAgency = z.output<typeof governmentAgency>;
export type GovernmentAgencySpending = z.output<typeof governmentAgencySpending>;
export type GovernmentSubAgency = z.output<typeof governmentSubAgency>;
