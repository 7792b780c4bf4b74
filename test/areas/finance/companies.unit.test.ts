import { expect, test } from "vitest";
import { company, filings, olderFiles } from "../../../worker/areas/finance/companies.map.ts";
import { concept, facts } from "../../../worker/areas/finance/facts.map.ts";
import { sec, secData } from "../../../worker/areas/finance/samples/sec.ts";
import { contactParts } from "../../../worker/transport/contact.ts";
import {
  sec as secUpstream,
  secData as dataUpstream,
} from "../../../worker/upstreams/sec/client.ts";
import { listingsOf } from "../../../worker/upstreams/sec/tickers.ts";
import { ShapeError } from "#wire";
import { ask } from "../answering.ts";
import { issues } from "../input.ts";
import { play, playToEnd } from "../play.ts";

const columns = {
  accessionNumber: ["0000320193-26-000007", "0000320193-26-000006"],
  filingDate: ["2026-05-01", "2026-01-30"],
  reportDate: ["2026-03-28", ""],
  form: ["8-K", "144"],
  items: ["2.02,9.01", ""],
  size: [239_761, 4809],
  isXBRL: [1, 0],
  isInlineXBRL: [1, null],
  primaryDocument: ["a_8k.htm", ""],
  primaryDocDescription: ["8-K", ""],
};

test("finance surprise 8: filings come as columns, with empty texts for what is absent", () => {
  expect(filings(columns, "320193")).toEqual([
    {
      accession_number: "0000320193-26-000007",
      cik: "320193",
      form: "8-K",
      filed_date: "2026-05-01",
      period_end: "2026-03-28",
      item_numbers: ["2.02", "9.01"],
      size_bytes: 239_761,
      has_xbrl: true,
      has_inline_xbrl: true,
      document: "a_8k.htm",
      description: "8-K",
      url: "https://www.sec.gov/Archives/edgar/data/320193/000032019326000007/a_8k.htm",
    },
    {
      accession_number: "0000320193-26-000006",
      cik: "320193",
      form: "144",
      filed_date: "2026-01-30",
      item_numbers: [],
      size_bytes: 4809,
      has_xbrl: false,
    },
  ]);
  expect(() => filings({ form: ["8-K"] }, "320193")).toThrow(ShapeError);
});

test("finance surprise 9: older filings are in files of their own, and a form may be in these only", async () => {
  const all = await playToEnd<{ form: string }>("finance.companies.filings", {
    company: "SMPL",
    limit: 15,
  });
  expect(all.map((rows) => rows.length)).toEqual([15, 5]);
  const asked: string[] = [];
  const submissions = secData.answers["GET /submissions/{file}"];
  const path = "GET /submissions/{file}";
  const answer: typeof submissions = (request) => {
    asked.push(request.parts.file as string);
    if (request.parts.file?.includes("submissions") === true) {
      return { ...columns, form: ["8-K", "10-12B"] };
    }
    const files = ["001", "002"].map((part) => ({
      name: `CIK0000320193-submissions-${part}.json`,
    }));
    return { filings: { recent: columns, files } };
  };
  const samples = [sec, { ...secData, answers: { [path]: answer } }];
  const input = { company: "320193", form: "10-12b" };
  const played = await play("finance.companies.filings", input, { samples });
  expect(played).toMatchObject({ ok: true, data: [{ form: "10-12B" }] });
  expect(asked).toEqual([
    "CIK0000320193.json",
    "CIK0000320193-submissions-001.json",
    "CIK0000320193-submissions-002.json",
  ]);
  const odd = { filings: { files: [{ name: "../CIK0000320193.json" }] } };
  expect(() => olderFiles(odd)).toThrow(ShapeError);
  expect(() => olderFiles({ filings: {} })).toThrow(ShapeError);
});

const figure = (period_start: string | undefined, end: string, filed: string, val: number) => ({
  ...(period_start === undefined ? {} : { start: period_start }),
  end,
  val,
  filed,
});

test("finance surprise 10: figures of one day stand for other spans, and again in later filings", () => {
  const USD = [
    figure("2025-01-01", "2025-06-30", "2025-08-01", 200),
    figure("2025-04-01", "2025-06-30", "2025-08-01", 110),
    figure("2025-04-01", "2025-06-30", "2026-08-01", 111),
    figure("2025-01-01", "2025-03-31", "2025-05-01", 90),
  ];
  const shares = [figure(undefined, "2025-07-20", "2025-08-01", 7)];
  const body = {
    cik: 320_193,
    entityName: "Lantern Inc.",
    facts: {
      "us-gaap": { NetIncomeLoss: { label: "Net Income", units: { USD } } },
      dei: { SharesOutstanding: { label: null, units: { shares, pure: [] } } },
    },
  };
  const [income, count] = facts(body, undefined).facts;
  expect(income).toEqual({
    taxonomy: "us-gaap",
    concept: "NetIncomeLoss",
    label: "Net Income",
    unit: "USD",
    value_count: 4,
    value: 111,
    period_start: "2025-04-01",
    period_end: "2025-06-30",
    filed_date: "2026-08-01",
  });
  expect(count).toMatchObject({ concept: "SharesOutstanding", unit: "shares", value: 7 });
  expect(facts(body, "dei").facts).toHaveLength(1);
  const answer = { ...body, taxonomy: "us-gaap", tag: "NetIncomeLoss", units: { USD } };
  expect(concept(answer).units[0]?.values.map(({ value }) => value)).toEqual([200, 110, 111, 90]);
});

test("finance surprise 11: the list of tickers is an object by position, and its numbers lack zeros", async () => {
  const rows = {
    "0": { cik_str: 320_193, ticker: "AAPL", title: "Apple Inc." },
    "1": { cik_str: 1_067_983, ticker: "BRK-B", title: "BERKSHIRE HATHAWAY INC" },
    "2": { ticker: "ODD" },
  };
  expect(listingsOf(rows)).toEqual([
    { ticker: "AAPL", cik: "320193", name: "Apple Inc." },
    { ticker: "BRK-B", cik: "1067983", name: "BERKSHIRE HATHAWAY INC" },
  ]);
  expect(() => listingsOf({})).toThrow(ShapeError);
  const path = "GET /files/company_tickers.json";
  const samples = [{ ...sec, answers: { [path]: () => rows } }, secData];
  const found = async (q: string) => {
    const played = await play("finance.tickers.search", { q }, { samples });
    return played.ok && (played.data as { ticker: string }[]).map(({ ticker }) => ticker);
  };
  expect(await found("brk.b")).toEqual(["BRK-B"]);
  expect(await found("hathaway berk")).toEqual(["BRK-B"]);
  expect(await found("a")).toEqual(["AAPL", "BRK-B"]);
  const named = await play("finance.companies.get", { company: "aapl" }, { samples });
  expect(named).toMatchObject({ ok: true, data: { cik: "320193" } });
  const unknown = await play("finance.companies.get", { company: "NONE" }, { samples });
  expect(unknown).toMatchObject({ ok: false, type: "not_found" });
});

test("a company without the usual data", () => {
  expect(company({ cik: "0000000042", name: "Lantern Fund", fiscalYearEnd: "" })).toEqual({
    cik: "42",
    name: "Lantern Fund",
    listings: [],
    former_names: [],
  });
  const two = { cik: "42", name: "L", tickers: ["LAMP", "LAMP-PA"], exchanges: ["NYSE", null] };
  expect(company({ ...two, fiscalYearEnd: "0926" })).toMatchObject({
    listings: [{ ticker: "LAMP", exchange: "NYSE" }, { ticker: "LAMP-PA" }],
    fiscal_year_end: "09-26",
  });
});

test("the SEC is not called without a contact, and its limit counts for both hosts", () => {
  for (const upstream of [secUpstream, dataUpstream]) {
    expect(contactParts(upstream, {})).toBeUndefined();
    expect(contactParts(upstream, { CONTACT: "ops@gateway.example" })?.headers).toMatchObject({
      "user-agent": expect.stringContaining("ops@gateway.example") as string,
    });
  }
  const each = [secUpstream, dataUpstream].map(({ limits }) => limits?.perSecond ?? Infinity);
  expect(each.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10);
});

test("tickers and numbers of companies, concepts and periods", () => {
  for (const given of ["aapl", "BRK.B", "CIK0000320193", "320193"]) {
    expect(issues("finance.companies.get", { company: given }), given).toEqual([]);
  }
  for (const given of ["Apple Inc", "12345678901", "../x", ""]) {
    expect(issues("finance.companies.get", { company: given }), given).toEqual(["company"]);
  }
  const frame = { concept: "Revenues", period: "CY2025Q1I" };
  expect(issues("finance.concepts.companies", frame)).toEqual([]);
  expect(issues("finance.concepts.companies", { ...frame, period: "2025" })).toEqual(["period"]);
  expect(issues("finance.concepts.companies", { ...frame, unit: "USD/x" })).toEqual(["unit"]);
  expect(issues("finance.concepts.companies", { ...frame, concept: "a b" })).toEqual(["concept"]);
});

test("finance surprise 9: many files without a form do not end the list", async () => {
  const files = Array.from({ length: 40 }, (_, index) => ({
    name: `CIK0000320193-submissions-${String(index + 1).padStart(3, "0")}.json`,
  }));
  const other = { accessionNumber: ["0000320193-26-000001"], form: ["424B2"] };
  const { played } = await ask(
    "finance.companies.filings",
    { company: "320193", form: "10-K" },
    ({ path }) => ({
      body: path.endsWith("-040.json")
        ? { ...other, form: ["10-K"] }
        : path.includes("-submissions-")
          ? other
          : { filings: { recent: other, files } },
    }),
  );
  expect(played).toMatchObject({ ok: true, data: [{ form: "10-K" }] });
});

test("a concept that cannot be read is left out of a company's facts", () => {
  const good = { units: { USD: [{ val: 1, end: "2026-01-01" }] } };
  const read = (odd: unknown) =>
    facts({ cik: 1, entityName: "X", facts: { "us-gaap": { Good: good, Odd: odd } } }, undefined);
  for (const odd of [{ units: { USD: [{ val: null }] } }, { units: null }, {}, null]) {
    expect(read(odd).facts, JSON.stringify(odd)).toMatchObject([{ concept: "Good", value: 1 }]);
  }
  const none = { cik: 1, entityName: "X", facts: { dei: { Odd: { units: null } } } };
  expect(() => facts(none, undefined)).toThrow(ShapeError);
});
