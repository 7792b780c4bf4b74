import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 130 };
const kinds = ["Rule", "Proposed Rule", "Notice", "Presidential Document"];

const agencies = [
  {
    raw_name: "DEPARTMENT OF SAMPLES",
    name: "Samples Department",
    id: 54,
    url: "https://www.federalregister.gov/agencies/samples-department",
    json_url: "https://www.federalregister.gov/api/v1/agencies/54",
    parent_id: null,
    slug: "samples-department",
  },
  { raw_name: "Office of Examples" },
];

function row(number: string, index: number) {
  const v = vary("document", number);
  const page = `https://www.federalregister.gov/documents/2026/03/05/${number}/sample`;
  return {
    title: `${v.pick("title", words)} of samples; `,
    type: kinds[index % kinds.length],
    abstract: index % 3 === 2 ? null : `The department keeps ${v.pick("abstract", words)}.`,
    document_number: number,
    html_url: page,
    pdf_url: `https://www.govinfo.gov/content/pkg/FR-2026-03-05/pdf/${number}.pdf`,
    public_inspection_pdf_url: `https://public-inspection.federalregister.gov/${number}.pdf`,
    publication_date: `2026-03-${String(28 - (index % 28)).padStart(2, "0")}`,
    agencies,
  };
}

function search({ query, empty, secondPage }: SampleRequest) {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [page, size] = [Number(query?.page), Number(query?.per_page)];
  if (total === 0) return { count: 0, description: "No documents" };
  const seed = JSON.stringify([query?.["conditions[term]"], query?.["conditions[type][]"]]);
  return {
    count: total,
    description: "Documents matching a sample",
    total_pages: Math.ceil(total / size),
    results: slice({ total, offset: (page - 1) * size, count: size }, (index) => ({
      ...row(`2026-${vary("number", seed, index).digits("number", 5)}${index}`, index),
      excerpts: '… keeps <span class="match">samples</span> …',
    })),
  };
}

const whole = ({ parts }: SampleRequest) => {
  const number = parts.number as string;
  return {
    ...row(number, 1),
    subtype: "Executive Order",
    action: "Proposed rule.",
    dates: "Comments are due by April 10, 2026. ",
    citation: "91 FR 16202",
    volume: 91,
    start_page: 16_202,
    end_page: 16_210,
    page_length: 9,
    effective_on: "2026-05-06",
    comments_close_on: "2026-04-10",
    signing_date: "2026-03-01",
    executive_order_number: "14999",
    significant: true,
    cfr_references: [{ title: 40, part: 50, chapter: "I", citation_url: null }],
    docket_ids: ["SAMPLE-2026-0001"],
    regulation_id_numbers: ["2060-AV52"],
    topics: ["Air pollution control", "Samples"],
    comment_url: "https://www.regulations.gov/commenton/SAMPLE-2026-0001",
    raw_text_url: `https://www.federalregister.gov/documents/full_text/text/${number}.txt`,
    body_html_url: `https://www.federalregister.gov/documents/full_text/html/${number}.html`,
    full_text_xml_url: `https://www.federalregister.gov/documents/full_text/xml/${number}.xml`,
    corrections: [],
    images: {},
  };
};

/** Sample answers of the Federal Register, written for this project. */
export const federalRegister: Samples = {
  upstream: "federal-register",
  answers: {
    "GET /api/v1/documents.json": search,
    "GET /api/v1/documents/{number}.json": whole,
  },
  faults: {
    not_found: { status: 404, body: { status: 404, message: "Record Not Found" } },
    upstream_error: { status: 400, body: { errors: { order: "is not valid" } } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
