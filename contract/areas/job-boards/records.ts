import * as z from "zod";

const source = z.string().describe("greenhouse, lever or lever-eu");

export const jobBoard = z
  .object({
    board: z.string(),
    name: z.string(),
    description_html: z.string().optional().describe("Introduction of the board, as HTML"),
  })
  .meta({ id: "JobBoard" });

const payRange = z
  .object({
    minimum: z.number().optional().describe("Least pay, in units of the currency"),
    maximum: z.number().optional().describe("Most pay, in units of the currency"),
    currency: z.string().optional(),
    interval: z.string().optional(),
    description: z.string().optional().describe("The pay in the employer's words"),
  })
  .meta({ id: "JobPostingPayRange" });

export const jobPosting = z
  .object({
    id: z.string().describe("Id of the posting at its source"),
    source,
    board: z.string().optional(),
    title: z.string(),
    company: z.string().optional(),
    url: z.string().optional(),
    apply_url: z.string().optional(),
    location: z.string().optional(),
    locations: z
      .array(z.string())
      .describe("All places of work; empty where the source has one only"),
    country_code: z.string().optional().describe("ISO 3166-1 code of two letters"),
    workplace_type: z.string().optional(),
    employment_type: z.string().optional(),
    departments: z.array(z.string()),
    team: z.string().optional(),
    offices: z.array(z.string()),
    level: z.string().optional(),
    language: z.string().optional(),
    requisition_id: z.string().optional(),
    created_at: z.string().optional().describe("When the posting was made, ISO 8601"),
    published_at: z.string().optional().describe("When the posting was published, ISO 8601"),
    updated_at: z.string().optional(),
    pay_ranges: z.array(payRange),
    description_html: z.string().optional().describe("The whole posting, as HTML"),
    description: z.string().optional().describe("The whole posting, as plain text"),
    sections: z
      .array(z.object({ title: z.string().optional(), content_html: z.string() }))
      .describe("Lists beside the description, such as requirements"),
  })
  .meta({ id: "JobPosting" });

export const remoteJob = z
  .object({
    id: z.string().describe("Id of the posting at the source"),
    title: z.string(),
    company: z.string().optional(),
    company_logo_url: z.string().optional(),
    url: z.string().optional(),
    location: z.string().optional().describe("Where the worker must live"),
    employment_type: z.string().optional(),
    job_category: z.string().optional(),
    tags: z.array(z.string()).describe("Skills and subjects of the job"),
    pay: z.string().optional().describe("The pay in the employer's words"),
    published_at: z.string().optional().describe("When the posting was published, ISO 8601"),
    description_html: z.string().optional().describe("The whole posting, as HTML"),
  })
  .meta({ id: "RemoteJob" });

export const jobDepartment = z
  .object({
    id: z.string(),
    name: z.string(),
    parent_id: z.string().optional(),
    child_ids: z.array(z.string()),
    posting_ids: z.array(z.string()),
  })
  .meta({ id: "JobDepartment" });

export type JobBoard = z.output<typeof jobBoard>;
export type JobPosting = z.output<typeof jobPosting>;
export type RemoteJob = z.output<typeof remoteJob>;
export type JobDepartment = z.output<typeof jobDepartment>;
