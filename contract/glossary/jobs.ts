/** Members of postings of jobs. */
export const jobs: Readonly<Record<string, string>> = {
  apply_url: "Address at which to apply",
  board: "The company's name in the addresses of its postings",
  child_ids: "Ids of the departments below it",
  company_logo_url: "Address of the company's logo",
  content_html: "Text of the section, as HTML",
  departments: "Departments of the company",
  interval: "Time that the pay is for, such as per-year-salary",
  job_category: "Field of work",
  level: "Level of experience",
  offices: "Offices",
  parent_id: "Id of the department above it",
  pay_ranges: "Pay, by place or kind of contract",
  posting_ids: "Ids of its postings",
  requisition_id: "The company's own number of the job",
  team: "Team of the company",
};
