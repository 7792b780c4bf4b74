import { expect, test } from "vitest";
import type { CursorPayload } from "../../../contract/cursor.ts";
import { award, awardFound } from "../../../worker/areas/government/awards.map.ts";
import { billFound, billPages, ordinal } from "../../../worker/areas/government/bills.map.ts";
import { documentsFound } from "../../../worker/areas/government/documents.map.ts";
import { drugEvent, drugLabel } from "../../../worker/areas/government/drugs.map.ts";
import { phraseIn } from "../../../worker/areas/government/products.ts";
import { productPage, recall } from "../../../worker/areas/government/products.map.ts";
import { day } from "../../../worker/areas/government/read.map.ts";
import { agencySpending } from "../../../worker/areas/government/recipients.map.ts";
import { member, memberPages } from "../../../worker/areas/government/members.map.ts";
import { congress } from "../../../worker/areas/government/samples/congress.ts";
import { federalRegister } from "../../../worker/areas/government/samples/federal-register.ts";
import { openFda } from "../../../worker/areas/government/samples/openfda.ts";
import { usaSpending } from "../../../worker/areas/government/samples/usaspending.ts";
import { openFda as openFdaUpstream } from "../../../worker/upstreams/openfda/client.ts";
import { usaSpending as usaSpendingUpstream } from "../../../worker/upstreams/usaspending/client.ts";
import type { SampleRequest, Samples } from "../../../worker/sandbox/sample.ts";
import { ShapeError } from "#wire";
import { issues, refusal } from "../input.ts";
import { play, playToEnd } from "../play.ts";

/** The bundled samples, which note every request. */
function noted(samples: Samples, into: SampleRequest[]): Samples[] {
  const answers = Object.entries(samples.answers).map(([pattern, sample]) => [
    pattern,
    (request: SampleRequest) => {
      into.push(request);
      return sample(request);
    },
  ]);
  return [{ ...samples, answers: Object.fromEntries(answers) as Samples["answers"] }];
}

async function requestsOf(samples: Samples, id: string, input: Record<string, unknown>) {
  const requests: SampleRequest[] = [];
  const played = await play(id, input, { samples: noted(samples, requests) });
  expect(played).toMatchObject({ ok: true });
  return requests;
}

test("government surprise 1: a kind of award has its own codes and columns", async () => {
  const id = "government.awards.search";
  const span = { from_date: "2026-01-01", to_date: "2026-02-01" };
  const [loans] = await requestsOf(usaSpending, id, {
    ...span,
    award_type: "loans",
    sort: "latest_start",
    min_amount: 10,
  });
  expect(loans?.body).toMatchObject({
    filters: {
      award_type_codes: ["07", "08"],
      time_period: [{ start_date: "2026-01-01", end_date: "2026-02-01" }],
      award_amounts: [{ lower_bound: 10 }],
    },
    sort: "Issued Date",
    order: "desc",
    page: 1,
  });
  const { fields } = (loans as SampleRequest).body as { fields: string[] };
  expect(fields).toContain("Loan Value");
  expect(fields).not.toContain("Award Amount");
  const row = {
    generated_internal_id: "ASST_NON_1_1",
    "Loan Value": 7,
    "Issued Date": "2026-01-02",
  };
  expect(awardFound(row)).toMatchObject({ amount: 7, start_date: "2026-01-02" });
  expect(issues(id, { award_type: "contracts", q: "ab" })).toEqual(["q"]);
  const wrong = await play(id, { from_date: "2026-02-01", to_date: "2026-01-01" });
  expect(wrong).toMatchObject({ ok: false, type: "validation_error" });
});

test("government surprise 2: an unknown recipient is a 400 that says so", () => {
  const judged = (detail: string) =>
    usaSpendingUpstream.judge({ status: 400, headers: {}, body: { detail } });
  expect(judged("Recipient ID not found: 'x'.")).toMatchObject({ type: "not_found" });
  expect(judged("Invalid value in 'limit'.")).toMatchObject({ type: "upstream_error" });
});

test("government surprise 3: numbers of awards by kind, and days without times", async () => {
  const base = { generated_unique_award_id: "ASST_NON_X_1", description: " PUMPS " };
  expect(award({ ...base, piid: null, fain: null, uri: "U1" })).toMatchObject({
    award_number: "U1",
    description: "PUMPS",
    url: "https://www.usaspending.gov/award/ASST_NON_X_1",
  });
  const assistance = await play("government.awards.get", { award_id: "ASST_NON_SAMPLE2_12D2" });
  expect(assistance).toMatchObject({
    data: {
      award_number: "SAMPLE2",
      loan_amount: 90_000,
      subsidy_cost: 310.5,
      non_federal_amount: 12.5,
      total_funding: 491.5,
      assistance_listings: [
        {
          number: "10.112",
          title: "Sample Coverage",
          obligated_amount: 479,
          url: "https://sam.gov/fal/sample/view",
        },
      ],
    },
  });
  const span = { potential_end_date: "2016-06-27 00:00:00", last_modified_date: "2018-10-27" };
  expect(award({ ...base, period_of_performance: span })).toMatchObject({
    potential_end_date: "2016-06-27",
    updated_date: "2018-10-27",
  });
});

test("government surprise 4: budget years oldest first", () => {
  const years = [{ fiscal_year: 2026 }, { fiscal_year: 2025 }];
  const { series } = agencySpending({ toptier_code: "097", agency_data_by_year: years });
  expect(series.map(({ fiscal_year }) => fiscal_year)).toEqual([2025, 2026]);
});

test("government surprise 5: members who withdrew are in one of the two counts", async () => {
  const row = { bioguideId: "S000001" };
  const page = (pagination?: object) => billPages.cosponsors({ cosponsors: [row], pagination });
  expect(page({ count: 30 }).total).toBe(30);
  expect(page({ count: 30, countIncludingWithdrawnCosponsors: 31 }).total).toBe(31);
  expect(() => page()).toThrow(ShapeError);
  const played = await play("government.bills.cosponsors", { bill_id: "117-HR-3076", limit: 30 });
  expect(played).toMatchObject({ ok: true, pagination: { has_more: false } });
});

test("government surprise 6: empty titles and null in place of committees", () => {
  const bill = billFound({ congress: 101, type: "HJRES", number: "7", title: "" });
  expect(bill).toEqual({
    bill_id: "101-hjres-7",
    congress: 101,
    bill_type: "hjres",
    bill_number: "7",
    url: "https://www.congress.gov/bill/101st-congress/house-joint-resolution/7",
  });
  expect([1, 2, 3, 4, 11, 12, 13, 111, 112, 121].map(ordinal).join(" ")).toBe(
    "1st 2nd 3rd 4th 11th 12th 13th 111th 112th 121st",
  );
  const body = { actions: [{ text: "Passed", committees: null }], pagination: { count: 1 } };
  expect(billPages.actions(body).rows).toEqual([{ text: "Passed", committees: [], votes: [] }]);
});

test("government: a kind of bill requires its congress, and days become moments", async () => {
  const id = "government.bills.list";
  expect(await play(id, { bill_type: "hr" })).toMatchObject({
    ok: false,
    type: "validation_error",
  });
  const [request] = await requestsOf(congress, id, {
    congress: 117,
    bill_type: "hr",
    from_date: "2026-01-01",
    to_date: "2026-01-31",
  });
  expect(request?.path).toBe("/v3/bill/117/hr");
  expect(request?.query).toMatchObject({
    fromDateTime: "2026-01-01T00:00:00Z",
    toDateTime: "2026-01-31T23:59:59Z",
    sort: "updateDate desc",
    offset: 0,
  });
  expect(refusal("government.bills.get", { bill_id: "117/hr/3076" })).toBe("invalid_id");
});

test("government surprise 7: no documents, and pages of one size to the source's end", async () => {
  expect(documentsFound({ count: 0, description: "No documents" })).toEqual({ rows: [], pages: 0 });
  expect(() => documentsFound({ count: 3, results: [] })).toThrow(ShapeError);
  const requests: SampleRequest[] = [];
  const pages = await playToEnd<{ document_number: string }>(
    "government.documents.search",
    { q: "harbour", document_type: "proposed_rule", agency: "Samples-Department", limit: 60 },
    { samples: noted(federalRegister, requests), scenario: "second_page" },
  );
  expect(pages.map((page) => page.length)).toEqual([60, 60, 10]);
  expect(new Set(pages.flat().map(({ document_number }) => document_number)).size).toBe(130);
  expect(requests[0]?.query).toMatchObject({
    "conditions[term]": "harbour",
    "conditions[type][]": "PRORULE",
    "conditions[agencies][]": "samples-department",
    per_page: 100,
    page: 1,
  });
});

test("government surprise 8: kinds in words or capitals, agencies by any name", () => {
  const row = { document_number: "2026-1", title: "T", agencies: [{ raw_name: "Office" }] };
  const typed = (type: string) =>
    documentsFound({ count: 1, total_pages: 1, results: [{ ...row, type }] }).rows[0];
  expect(typed("Proposed Rule")).toMatchObject({
    document_type: "proposed_rule",
    agencies: [{ name: "Office" }],
  });
  expect(typed("PRESDOCU")?.document_type).toBe("presidential_document");
  expect(typed("Sunshine Act")?.document_type).toBe("sunshine_act");
});

test("government surprise 9: a search without a match is empty, another 404 is not", async () => {
  const body = { error: { code: "NOT_FOUND", message: "No matches found!" } };
  const judge = (status: number, given: unknown) =>
    openFdaUpstream.judge({ status, headers: {}, body: given });
  expect(judge(404, body)).toEqual({ ok: true });
  expect(judge(404, undefined)).toMatchObject({ type: "not_found" });
  expect(productPage(body, recall)).toEqual({ rows: [], total: 0 });
  expect(() => productPage({ results: [] }, recall)).toThrow(ShapeError);
});

test("government surprise 10: days in three forms", () => {
  expect(["20140318", "2014-03-18", "2014-03-18 20:06:44", "201403", ""].map(day)).toEqual([
    "2014-03-18",
    "2014-03-18",
    "2014-03-18",
    "201403",
    undefined,
  ]);
});

test("government surprise 11: codes of a report become words", () => {
  const event = drugEvent({
    safetyreportid: "1",
    serious: "2",
    seriousnessdeath: "1",
    seriousnessother: null,
    primarysource: { qualification: "5" },
    patient: {
      patientsex: "0",
      patientonsetage: "59",
      patientonsetageunit: "801",
      drug: [{ medicinalproduct: "ASPIRIN. ", drugcharacterization: "1" }, { drugindication: "X" }],
      reaction: [{ reactionmeddrapt: "Nausea", reactionoutcome: "9" }],
    },
  });
  expect(event).toEqual({
    report_id: "1",
    is_serious: false,
    outcomes: ["death"],
    reporter: "consumer",
    patient_age: 59,
    patient_age_unit: "year",
    reactions: [{ reaction: "Nausea" }],
    drugs: [{ name: "ASPIRIN.", role: "suspect", brand_names: [], generic_names: [] }],
  });
});

test("government surprise 12: parts of a label in one text, under either name", () => {
  const label = (row: object) => drugLabel({ id: "1", ...row });
  expect(label({ warnings: ["Ask."], purpose: [] }).warnings).toBe("Ask.");
  expect(label({ warnings: ["Ask."], warnings_and_cautions: ["A", "B"] }).warnings).toBe("A\n\nB");
  expect(label({ purpose: [] }).purpose).toBeUndefined();
});

test("government: words of a caller stay one phrase of openFDA's search", async () => {
  expect(phraseIn(["a", "b"], "q", 'x" OR serious:"1')).toBe(
    '(a:"x  OR serious: 1" OR b:"x  OR serious: 1")',
  );
  expect(() => phraseIn(["a"], "q", '"\\"')).toThrow("q: must contain words");
  const [events] = await requestsOf(openFda, "government.drugs.events", {
    drug: "aspirin",
    is_serious: true,
    from_date: "2026-01-01",
  });
  expect(events?.query?.search).toBe(
    '(patient.drug.medicinalproduct:"aspirin" OR patient.drug.openfda.brand_name:"aspirin" OR ' +
      'patient.drug.openfda.generic_name:"aspirin") AND serious:1 AND receivedate:[2026-01-01 TO 2099-12-31]',
  );
  const [recalls] = await requestsOf(openFda, "government.recalls.search", {
    product_type: "device",
    recall_class: "2",
    sort: "oldest",
  });
  expect(recalls).toMatchObject({
    path: "/device/enforcement.json",
    query: { search: 'classification:"Class II"', sort: "report_date:asc", skip: 0 },
  });
});

test("government surprise 13: years as texts, terms and parties in no sure order", () => {
  const read = member({
    member: {
      bioguideId: "S000001",
      birthYear: "1966",
      directOrderName: "Sam Sample",
      partyHistory: [
        { partyAbbreviation: "D", partyName: "Democratic", startYear: 2021 },
        { partyAbbreviation: "I", partyName: "Independent", startYear: 2017, endYear: 2021 },
      ],
      terms: {
        item: [{ congress: 118, startYear: 2023 }, null, { congress: 117, startYear: 2021 }],
      },
    },
  });
  expect(read).toMatchObject({ birth_year: 1966, party: "D", party_name: "Democratic" });
  expect(read.parties.map(({ party }) => party)).toEqual(["I", "D"]);
  expect(read.terms.map((term) => term.congress)).toEqual([117, 118]);
  expect(() => member({ member: { directOrderName: "Nobody" } })).toThrow(ShapeError);
  const row = { bioguideId: "S000001", name: "Sample, Sam", district: 0, terms: {} };
  const { rows } = memberPages.members({ members: [row], pagination: { count: 1 } });
  expect(rows).toEqual([{ bioguide_id: "S000001", name: "Sample, Sam", district: "0", terms: [] }]);
});

test("government surprise 14: amendments among the bills of a member are left out", async () => {
  const id = "government.members.bills";
  const pages = await playToEnd<{ bill_id: string }>(id, { bioguide_id: "s000001", limit: 20 });
  expect(pages.map((page) => page.length)).toEqual([20, 4]);
  expect(new Set(pages.flat().map(({ bill_id }) => bill_id)).size).toBe(24);
  const [own] = await requestsOf(congress, id, { bioguide_id: "S000001", limit: 3 });
  const [others] = await requestsOf(congress, id, {
    bioguide_id: "S000001",
    role: "cosponsor",
    limit: 3,
  });
  expect(own?.path).toBe("/v3/member/S000001/sponsored-legislation");
  expect(others?.path).toBe("/v3/member/S000001/cosponsored-legislation");
  const latest = { congress: 119, type: "S", number: "7", latestTitle: "Sample Act" };
  const page = memberPages.sponsored({
    sponsoredLegislation: [latest],
    pagination: { count: 1 },
  });
  expect(page.rows).toMatchObject([{ bill_id: "119-s-7", title: "Sample Act" }]);
});

test("government surprise 15: the source has members by congress, state or district", async () => {
  const id = "government.members.list";
  const pathOf = async (input: Record<string, unknown>) => {
    const [request] = await requestsOf(congress, id, input);
    return [request?.path, request?.query?.currentMember].join(" ").trim();
  };
  expect(await pathOf({})).toBe("/v3/member");
  expect(await pathOf({ congress: 117, is_current: false })).toBe("/v3/member/congress/117 false");
  expect(await pathOf({ state: "tx", is_current: true })).toBe("/v3/member/TX true");
  expect(await pathOf({ state: "TX", district: 0 })).toBe("/v3/member/TX/0");
  expect(await pathOf({ congress: 118, state: "TX", district: 15 })).toBe(
    "/v3/member/congress/118/TX/15",
  );
  for (const refused of [{ district: 3 }, { congress: 118, state: "TX" }]) {
    expect(await play(id, refused)).toMatchObject({ ok: false, type: "validation_error" });
  }
  expect(issues(id, { state: "Texas" })).toEqual(["state"]);
});

test("government surprise 16: words around a match as plain text", () => {
  const row = {
    document_number: "2026-00001",
    title: "Notice",
    excerpts: 'Salt &amp; Pepper \n \n <span class="match">Sample Ears</span> Monument \n',
  };
  const excerptOf = (excerpts: unknown) =>
    documentsFound({ count: 1, total_pages: 1, results: [{ ...row, excerpts }] }).rows[0]?.excerpt;
  expect(excerptOf(row.excerpts)).toBe("Salt & Pepper Sample Ears Monument");
  expect(excerptOf(null)).toBeUndefined();
});

test("government surprise 17: awards beyond the pages by number are behind the last one", async () => {
  const id = "government.awards.search";
  const path = "POST /api/v2/search/spending_by_award/";
  const last = { last_record_unique_id: 7, last_record_sort_value: "99.5" };
  const bodies: object[] = [];
  const answer = (request: SampleRequest) => {
    const body = request.body as object;
    bodies.push(body);
    const page = usaSpending.answers[path]?.({ ...request, body: { ...body, page: 1 } });
    return { ...(page as object), page_metadata: { hasNext: true, ...last } };
  };
  const samples = [{ ...usaSpending, answers: { [path]: answer } }];
  const input = { award_type: "grants", limit: 20 };
  let cursor: CursorPayload | undefined = { u: { from: 499, size: 20 } };
  for (let page = 499; page <= 501; page += 1) {
    const played = await play(id, input, { samples, cursor });
    cursor = played.ok ? played.pagination?.next : undefined;
  }
  expect(bodies[1]).not.toHaveProperty("last_record_unique_id");
  expect(bodies[2]).toMatchObject({ page: 501, ...last });
});
