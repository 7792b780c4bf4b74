import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 30, long: 60 };

const uuid = (seed: string) => {
  const digits = Buffer.from(vary("recipient", seed).token("id", 24)).toString("hex").slice(0, 32);
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};

type Body = Readonly<Record<string, unknown>>;

/** A page of a list whose request names page and size, in the body or in the query. */
function paged(request: SampleRequest, make: (index: number) => object) {
  const { page, limit } = (request.body ?? request.query) as Record<string, number>;
  const total = request.empty ? 0 : request.secondPage ? listed.long : listed.usual;
  const [number = 1, count = 10] = [Number(page), Number(limit)];
  const hasNext = number * count < total;
  return {
    page_metadata: {
      page: number,
      total,
      limit: count,
      hasNext,
      next: hasNext ? number + 1 : null,
    },
    results: slice({ total, offset: (number - 1) * count, count }, make),
    messages: [],
  };
}

const cents = (value: number) => value / 100;

function awards(request: SampleRequest) {
  const { fields, filters } = request.body as { fields: string[]; filters: Body };
  const seed = JSON.stringify(filters);
  const [code = "A"] = filters.award_type_codes as string[];
  const isContract = /^[A-Z]/.test(code);
  return {
    spending_level: "awards",
    limit: (request.body as { limit: number }).limit,
    ...paged(request, (index) => {
      const v = vary("award", seed, index);
      const number = v
        .token("number", 12)
        .replace(/[^A-Za-z0-9]/g, "X")
        .toUpperCase();
      const row: Record<string, unknown> = {
        internal_id: v.int("id", 1, 99_999_999),
        generated_internal_id: isContract
          ? `CONT_${code.startsWith("IDV") ? "IDV" : "AWD"}_${number}_9700_${index}`
          : `ASST_NON_${number}_12${index}`,
        "Award ID": number,
        "Recipient Name": `${v.pick("recipient", words).toUpperCase()} INC.`,
        recipient_id: `${uuid(`${seed} ${index}`)}-C`,
        "Recipient UEI": `SAMPLE${v.digits("uei", 6)}`,
        Description: ` ${v.pick("what", words).toUpperCase()} SERVICES `,
        "Awarding Agency": "Department of Samples",
        "Awarding Sub Agency": "Sample Logistics Agency",
        "Funding Agency": "Department of Examples",
        "Funding Sub Agency": "Example Office",
        "Last Modified Date": "2026-03-27 20:06:44",
        "Place of Performance State Code": "CA",
        "Place of Performance Country Code": "USA",
        "Award Amount": cents(v.int("amount", 100_000, 99_999_999)),
        "Loan Value": cents(v.int("amount", 100_000, 99_999_999)),
        "Total Outlays": cents(v.int("outlays", 1000, 99_999)),
        "Subsidy Cost": cents(v.int("subsidy", 1000, 99_999)),
        "Start Date": "2025-02-01",
        "Issued Date": "2025-02-03",
        "End Date": "2027-01-31",
        "Last Date to Order": "2029-01-31",
        "Contract Award Type": isContract ? "DELIVERY ORDER" : null,
        "Award Type": isContract ? null : "PROJECT GRANT (B)",
        "CFDA Number": "10.112",
        agency_slug: "department-of-samples",
      };
      const always = ["internal_id", "generated_internal_id", "agency_slug"];
      return Object.fromEntries(
        Object.entries(row).filter(([name]) => always.includes(name) || fields.includes(name)),
      );
    }),
  };
}

const agency = (name: string) => ({
  id: 1219,
  has_agency_page: true,
  toptier_agency: { name, code: "097", abbreviation: "DOS", slug: "department-of-samples" },
  subtier_agency: { name: "Sample Logistics Agency", code: "97AS", abbreviation: "SLA" },
  office_agency_name: "SAMPLE TROOP SUPPORT",
});

const location = {
  location_country_code: "USA",
  country_name: "UNITED STATES",
  state_code: "CA",
  state_name: "CALIFORNIA",
  city_name: "WEST SAMPLETON",
  county_code: "113",
  county_name: "SAMPLE",
  address_line1: "3775 SAMPLE BLVD",
  address_line2: null,
  address_line3: null,
  congressional_code: "06",
  zip4: "3558",
  zip5: "95691",
  foreign_postal_code: null,
  foreign_province: null,
};

function award({ parts }: SampleRequest) {
  const id = parts.award as string;
  const v = vary("one award", id);
  const isContract = id.startsWith("CONT_");
  return {
    id: v.int("id", 1, 99_999_999),
    generated_unique_award_id: id,
    ...(isContract ? { piid: "SAMPLE1" } : { fain: "SAMPLE2", uri: null }),
    category: isContract ? "contract" : "loans",
    type: isContract ? "C" : "07",
    type_description: isContract ? "DELIVERY ORDER" : "DIRECT LOAN (E)",
    description: "SAMPLE SERVICES ",
    total_obligation: cents(v.int("obligation", 100_000, 9_999_999)),
    subaward_count: 2,
    total_subaward_amount: 1250.5,
    date_signed: "2025-02-01",
    base_exercised_options: isContract ? 61_241.34 : null,
    base_and_all_options: isContract ? 81_241.34 : null,
    ...(isContract
      ? {
          parent_award: {
            agency_name: "Department of Samples",
            generated_unique_award_id: "CONT_IDV_SAMPLEIDV1_9700",
            piid: "SAMPLEIDV1",
          },
          latest_transaction_contract_data: {
            solicitation_identifier: "SAMPLE-26-R-0001",
            number_of_offers_received: "4",
            extent_competed_description: "FULL AND OPEN COMPETITION",
            type_set_aside_description: "NO SET ASIDE USED.",
            product_or_service_code: "6505",
            product_or_service_description: "DRUGS AND BIOLOGICALS",
            naics: "325411",
            naics_description: "MEDICINAL AND BOTANICAL MANUFACTURING",
            type_of_contract_pricing_description: "FIRM FIXED PRICE",
          },
        }
      : {
          total_subsidy_cost: 310.5,
          total_loan_value: 90_000,
          non_federal_funding: 12.5,
          total_funding: 491.5,
          cfda_info: [
            {
              cfda_number: "10.112",
              cfda_title: "Sample Coverage",
              federal_action_obligation_amount: 479,
              sam_website: "https://sam.gov/fal/sample/view",
            },
          ],
        }),
    funding_agency: agency("Department of Examples"),
    awarding_agency: agency("Department of Samples"),
    period_of_performance: {
      start_date: "2025-02-01",
      end_date: "2026-01-31",
      last_modified_date: "2026-03-27 20:06:44",
      potential_end_date: "2027-01-31 00:00:00",
    },
    recipient: {
      recipient_hash: `${uuid(id)}-C`,
      recipient_name: "SAMPLE CORPORATION",
      recipient_uei: "SAMPLE4NSL4A",
      parent_recipient_hash: `${uuid(id)}-P`,
      parent_recipient_name: "SAMPLE HOLDING",
      business_categories: ["Category Business", "U.S.-Owned Business"],
      location,
    },
    place_of_performance: { ...location, address_line1: null },
  };
}

const recipientRow = (seed: string) => (index: number) => {
  const v = vary("recipients", seed, index);
  const level = v.pick("level", ["P", "C", "R"]);
  return {
    id: `${uuid(`${seed} ${index}`)}-${level}`,
    duns: null,
    uei: `SAMPLE${v.digits("uei", 6)}`,
    name: `${v.pick("name", words).toUpperCase()} ${index}`,
    recipient_level: level,
    amount: cents(v.int("amount", 100_000, 99_999_999)),
  };
};

const recipient = ({ parts, query }: SampleRequest) => {
  const id = parts.recipient as string;
  const v = vary("one recipient", id, String(query?.year));
  return {
    name: "SAMPLE WHOLESALERS, INC.",
    alternate_names: ["SAMPLE WHOLESALERS INC"],
    duns: null,
    uei: "SAMPLEYBB4S9",
    recipient_id: id,
    recipient_level: id.at(-1),
    parents: [
      {
        parent_id: `${uuid(id)}-P`,
        parent_duns: null,
        parent_uei: "SAMPLETMKLE8",
        parent_name: "SAMPLE HOLDING",
      },
    ],
    business_types: ["category_business", "small_business"],
    location: {
      address_line1: "1 SAMPLE AVE",
      address_line2: "FLOOR 2",
      address_line3: null,
      foreign_province: query?.year === "all" ? "HESSEN" : null,
      city_name: "SAMPLEVILLE",
      county_name: "SAMPLE",
      state_code: "NY",
      zip: "11801",
      zip4: "4320",
      foreign_postal_code: null,
      country_name: "UNITED STATES",
      country_code: "USA",
      congressional_code: "03",
    },
    total_transaction_amount: cents(v.int("amount", 100_000, 99_999_999)),
    total_transactions: v.int("count", 1, 900),
    total_face_value_loan_amount: 1200.5,
    total_face_value_loan_transactions: 3,
  };
};

const agencies = () => ({
  results: ["097", "012", "1601"].map((toptier_code) => {
    const v = vary("agency", toptier_code);
    return {
      agency_id: v.int("id", 1, 999),
      toptier_code,
      abbreviation: v.token("short", 3).toUpperCase(),
      agency_name: `Department of ${v.pick("name", words)}`,
      active_fy: "2026",
      active_fq: "2",
      budget_authority_amount: cents(v.int("budget", 1_000_000, 99_999_999)),
      obligated_amount: cents(v.int("obligated", 100_000, 999_999)),
      outlay_amount: cents(v.int("outlay", 10_000, 99_999)),
      percentage_of_total_budget_authority: v.int("share", 1, 99) / 1000,
      agency_slug: "department-of-samples",
    };
  }),
});

const overview = ({ parts, query }: SampleRequest) => ({
  fiscal_year: Number(query?.fiscal_year ?? 2026),
  toptier_code: parts.agency,
  name: "Department of Samples",
  abbreviation: "DOS",
  agency_id: 22,
  mission: "Keep samples in order. ",
  website: "https://samples.example/",
  congressional_justification_url: "https://samples.example/budget",
  about_agency_data: null,
  subtier_agency_count: 10,
  messages: [],
});

const resources = ({ parts, empty }: SampleRequest) => ({
  toptier_code: parts.agency,
  agency_data_by_year: (empty ? [] : [2026, 2025, 2024]).map((fiscal_year) => {
    const v = vary("resources", parts.agency as string, fiscal_year);
    return {
      fiscal_year,
      agency_budgetary_resources: cents(v.int("budget", 1_000_000, 99_999_999)),
      total_budgetary_resources: cents(v.int("all", 100_000_000, 999_999_999)),
      agency_total_obligated: cents(v.int("obligated", 100_000, 999_999)),
      agency_total_outlayed: cents(v.int("outlayed", 10_000, 99_999)),
      agency_obligation_by_period: [{ period: 3, obligated: 466_984.28 }],
    };
  }),
  messages: [],
});

const subAgencies = (request: SampleRequest) => ({
  toptier_code: request.parts.agency,
  fiscal_year: 2026,
  ...paged(request, (index) => {
    const v = vary("sub agency", request.parts.agency as string, index);
    const activity = (name: string) => ({
      total_obligations: cents(v.int(`${name} obligations`, 100_000, 99_999_999)),
      transaction_count: v.int(`${name} transactions`, 100, 9999),
      new_award_count: v.int(`${name} awards`, 1, 99),
    });
    return {
      name: `${v.pick("name", words)} administration ${index}`,
      abbreviation: v.token("short", 3).toUpperCase(),
      ...activity("own"),
      children: [
        { name: "OFC OF SAMPLES", code: v.digits("code", 6), ...activity("first") },
        { name: "OFC OF EXAMPLES", code: v.digits("other", 6), ...activity("second") },
      ],
    };
  }),
});

/** Sample answers of USAspending, written for this project. */
export const usaSpending: Samples = {
  upstream: "usaspending",
  answers: {
    "POST /api/v2/search/spending_by_award/": awards,
    "GET /api/v2/awards/{award}/": award,
    "POST /api/v2/recipient/": (request) =>
      paged(request, recipientRow(JSON.stringify((request.body as Body).keyword))),
    "GET /api/v2/recipient/{recipient}/": recipient,
    "GET /api/v2/references/toptier_agencies/": agencies,
    "GET /api/v2/agency/{agency}/": overview,
    "GET /api/v2/agency/{agency}/budgetary_resources/": resources,
    "GET /api/v2/agency/{agency}/sub_agency/": subAgencies,
  },
  faults: {
    not_found: { status: 404, body: { detail: "Award not found" } },
    upstream_error: { status: 422, body: { detail: "Invalid value" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
