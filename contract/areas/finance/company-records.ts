import * as z from "zod";

const cik = z.string().describe("Number of the company at the SEC, without leading zeros");
const accessionNumber = z.string().describe("Number of the filing: 0000320193-24-000123");

export const financeListing = z
  .object({ ticker: z.string(), cik, name: z.string() })
  .meta({ id: "FinanceListing" });

const companyAddress = z
  .object({
    lines: z.array(z.string()).describe("Street and house"),
    city: z.string().optional(),
    state_code: z.string().optional().describe("State or country, in the SEC's codes"),
    postal_code: z.string().optional(),
  })
  .meta({ id: "FinanceCompanyAddress" });

export const financeCompany = z
  .object({
    cik,
    name: z.string(),
    entity_type: z.string().optional(),
    listings: z.array(z.object({ ticker: z.string(), exchange: z.string().optional() })),
    industry_code: z.string().optional(),
    industry: z.string().optional(),
    lei: z.string().optional(),
    tax_number: z.string().optional(),
    description: z.string().optional(),
    website_url: z.string().optional(),
    investor_url: z.string().optional(),
    filer_category: z.string().optional(),
    fiscal_year_end: z.string().optional().describe("Last day of the business year, MM-DD"),
    state_of_incorporation: z.string().optional(),
    phone: z.string().optional(),
    business_address: companyAddress.optional(),
    mailing_address: companyAddress.optional(),
    former_names: z.array(
      z.object({
        name: z.string(),
        from_date: z.string().optional().describe("Since when it was the name"),
        to_date: z.string().optional().describe("Until when it was the name"),
      }),
    ),
  })
  .meta({ id: "FinanceCompany" });

export const financeFiling = z
  .object({
    accession_number: accessionNumber,
    cik,
    form: z.string().describe("Form of the filing: 10-K, 10-Q, 8-K, 4, …"),
    filed_date: z.string().optional(),
    accepted_at: z.string().optional(),
    period_end: z.string().optional(),
    act: z.string().optional(),
    file_number: z.string().optional(),
    film_number: z.string().optional(),
    item_numbers: z.array(z.string()),
    size_bytes: z.int().min(0).optional().describe("Bytes of the whole filing"),
    has_xbrl: z.boolean().optional(),
    has_inline_xbrl: z.boolean().optional(),
    document: z.string().optional().describe("File of the main document"),
    description: z.string().optional(),
    url: z.string().optional().describe("Address of the main document"),
  })
  .meta({ id: "FinanceFiling" });

const fact = {
  value: z.number().describe("The figure, in its unit"),
  period_start: z.string().optional(),
  period_end: z.string().optional(),
  fiscal_year: z.int().optional(),
  fiscal_period: z.string().optional(),
  form: z.string().optional().describe("Form of the filing that states it"),
  filed_date: z.string().optional(),
  accession_number: accessionNumber.optional(),
  frame: z.string().optional(),
};

const taxonomy = z.string().describe("Vocabulary of the concept: us-gaap, ifrs-full, dei, …");
const concept = z.string().describe("Name of the concept in its vocabulary");

export const financeFacts = z
  .object({
    cik,
    name: z.string(),
    facts: z
      .array(
        z.object({
          taxonomy,
          concept,
          label: z.string().optional(),
          unit: z.string(),
          value_count: z.int().min(0),
          ...fact,
        }),
      )
      .describe("The latest figure of each concept and unit"),
  })
  .meta({ id: "FinanceFacts" });

export const financeConcept = z
  .object({
    cik,
    name: z.string(),
    taxonomy,
    concept,
    label: z.string().optional(),
    description: z.string().optional(),
    units: z.array(
      z.object({
        unit: z.string(),
        values: z.array(z.object(fact)).describe("Figures in the order of their periods"),
      }),
    ),
  })
  .meta({ id: "FinanceConcept" });

export const financeCompanyValue = z
  .object({
    cik,
    name: z.string(),
    region: z.string().optional().describe("Region of the company, ISO 3166-2"),
    value: fact.value,
    period_start: fact.period_start,
    period_end: fact.period_end,
    accession_number: fact.accession_number,
  })
  .meta({ id: "FinanceCompanyValue" });

export type FinanceCompany = z.output<typeof financeCompany>;
export type FinanceFiling = z.output<typeof financeFiling>;
export type FinanceFacts = z.output<typeof financeFacts>;
export type FinanceConcept = z.output<typeof financeConcept>;
export type FinanceCompanyValue = z.output<typeof financeCompanyValue>;
