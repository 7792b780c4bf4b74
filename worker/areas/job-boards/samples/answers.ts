import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 120 };
const totalOf = ({ empty, secondPage }: SampleRequest) =>
  empty ? 0 : secondPage ? listed.long : listed.usual;

const groups = {
  departments: [{ id: 13_583, name: "Department of Departments", parent_id: null, child_ids: [] }],
  offices: [
    { id: 8304, name: "East Coast", location: "United States", parent_id: null, child_ids: [8787] },
  ],
  content: "This is the job. &lt;p&gt;Salt &amp;amp; samples.&lt;/p&gt;",
};

function job(board: string, id: number) {
  const v = vary("greenhouse", board, id);
  return {
    id,
    internal_job_id: v.int("internal", 1, 99_999),
    title: `${v.pick("title", words)} designer `,
    company_name: "Sample Corp",
    first_published: "2026-01-04T10:55:28-05:00",
    updated_at: "2026-01-14T10:55:28-05:00",
    requisition_id: String(v.int("requisition", 1, 99)),
    location: { name: v.pick("place", ["NYC", "Berlin", "Remote"]) },
    absolute_url: `https://boards.greenhouse.io/${board}/jobs/${id}`,
    language: "en",
    metadata: null,
  };
}

const jobs = (request: SampleRequest) => {
  const total = totalOf(request);
  const isFull = request.query?.content === true;
  return {
    jobs: slice({ total, offset: 0, count: total }, (index) => ({
      ...job(request.parts.board as string, 4_000_001 + index),
      ...(isFull ? groups : {}),
    })),
    meta: { total },
  };
};

const oneJob = ({ parts }: SampleRequest) => ({
  ...job(parts.board as string, Number(parts.id)),
  ...groups,
  pay_input_ranges: [
    {
      min_cents: 5_000_000,
      max_cents: 7_550_050,
      currency_type: "USD",
      title: "NYC Salary Range",
      blurb: "In order to be open …",
    },
  ],
});

const departments = (request: SampleRequest) => {
  const total = totalOf(request);
  return {
    departments: slice({ total, offset: 0, count: total }, (index) => ({
      id: 13_000 + index,
      name: `${vary("department", request.parts.board as string, index).pick("name", words)} ${index}`,
      parent_id: index === 0 ? null : 13_000,
      child_ids: index === 0 ? [13_900] : [],
      jobs: [
        { id: 4_000_001 + index, title: "Designer" },
        { id: 4_100_001 + index, title: "Baker" },
      ],
    })),
  };
};

/** Sample answers of Greenhouse, written for this project. */
export const greenhouse: Samples = {
  upstream: "greenhouse",
  answers: {
    "GET /v1/boards/{board}": () => ({ name: "Sample Corp", content: "&lt;p&gt;Join&lt;/p&gt;" }),
    "GET /v1/boards/{board}/departments": departments,
    "GET /v1/boards/{board}/jobs": jobs,
    "GET /v1/boards/{board}/jobs/{id}": oneJob,
  },
  faults: {
    not_found: { status: 404, body: { status: 404, error: "Job not found" } },
    upstream_error: { status: 400, body: undefined },
    upstream_unavailable: { status: 503, body: undefined },
  },
};

function posting(board: string, id: string) {
  const v = vary("lever", board, id);
  const place = v.pick("place", ["Oakland", "Boston"]);
  return {
    id,
    text: `${v.pick("text", words)} engineer `,
    categories: {
      commitment: "Full-time",
      department: "Engineering",
      level: "Senior",
      location: place,
      team: v.pick("team", words),
      allLocations: [place, "Remote"],
    },
    country: "US",
    createdAt: 1_767_225_600_000 + v.int("created", 0, 9_999_999),
    opening: "<div>Hello</div>",
    openingPlain: "Hello",
    description: "<div>Hello</div><div>Work</div>",
    descriptionPlain: "Hello\nWork\n",
    descriptionBody: "<div>Work</div>",
    descriptionBodyPlain: "Work",
    lists: [{ text: "Requirements:", content: "<li>Samples</li>" }],
    additional: "<div>Apply</div>",
    additionalPlain: "Apply",
    hostedUrl: `https://jobs.lever.co/${board}/${id}`,
    applyUrl: `https://jobs.lever.co/${board}/${id}/apply`,
    workplaceType: "hybrid",
    salaryRange: { currency: "USD", interval: "per-year-salary", min: 90_000, max: 120_000.5 },
    salaryDescription: "<div>And more</div>",
    salaryDescriptionPlain: "And more",
  };
}

const postingId = (board: string, index: number) =>
  `5ac21346-8e0c-4494-8e7a-${vary("posting", board).digits("id", 6)}${String(index).padStart(6, "0")}`;

const postings = (request: SampleRequest) => {
  const board = request.parts.board as string;
  const [offset, count] = [Number(request.query?.skip), Number(request.query?.limit)];
  return slice({ total: totalOf(request), offset, count }, (index) =>
    posting(board, postingId(board, index)),
  );
};

/** Sample answers of Lever, written for this project. */
export const lever: Samples = {
  upstream: "lever",
  answers: {
    "GET /v0/postings/{board}": postings,
    "GET /v0/postings/{board}/{id}": ({ parts }) =>
      posting(parts.board as string, parts.id as string),
  },
  faults: {
    not_found: { status: 404, body: { ok: false, error: "Document not found" } },
    upstream_error: { status: 400, body: { ok: false, error: "Bad request" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};

export const leverEu: Samples = { ...lever, upstream: "lever-eu" };

const remoteJobs = (request: SampleRequest) => {
  const { search, limit } = request.query ?? {};
  const jobs = slice({ total: totalOf(request), offset: 0, count: Number(limit) }, (index) => {
    const v = vary("remotive", String(search), index);
    const id = 1_900_000 + index;
    return {
      id,
      url: `https://remotive.com/remote-jobs/product/sample-${id}`,
      title: `${v.pick("title", words)} developer`,
      company_name: "Sample Corp ",
      company_logo: `https://remotive.com/job/${id}/logo`,
      category: "Software Development",
      tags: ["samples"],
      job_type: "full_time",
      publication_date: "2026-02-15T10:23:26",
      candidate_required_location: "Worldwide",
      salary: index % 2 === 0 ? "$40,000 - $50,000" : "",
      description: "<p>Make samples.</p>",
    };
  });
  return { "0-legal-notice": "Sample notice", "job-count": jobs.length, jobs };
};

/** Sample answers of Remotive, written for this project. */
export const remotive: Samples = {
  upstream: "remotive",
  answers: { "GET /api/remote-jobs": remoteJobs },
  faults: {
    not_found: { status: 404, body: undefined },
    upstream_error: { status: 400, body: undefined },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
