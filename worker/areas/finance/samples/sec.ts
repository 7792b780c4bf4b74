import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const tickerOf = (index: number) =>
  `S${letters[Math.floor(index / 26) % 26] ?? "A"}${letters[index % 26] ?? "A"}`;

/** Companies of the list; the last one is that of the examples. */
function tickers({ empty, secondPage }: SampleRequest) {
  const total = empty ? 1 : secondPage ? 60 : 6;
  const rows = slice({ total, offset: 0, count: total }, (index) => ({
    cik_str: 3_000_000 + index,
    ticker: tickerOf(index),
    title: `Harbour ${vary("ticker", index).pick("name", words)} Corp`,
  }));
  const sample = { cik_str: 3_999_999, ticker: "SMPL", title: "Sample Inc." };
  return Object.fromEntries(
    (empty ? [sample] : [...rows, sample]).map((row, index) => [String(index), row]),
  );
}

const forms = ["10-Q", "8-K", "4", "10-K"];

/** Filings as columns, newest first. */
function columns(cik: string, count: number, from = 0) {
  const rows = Array.from({ length: count }, (_, offset) => {
    const index = from + offset;
    const v = vary("filing", cik, index);
    const form = forms[index % forms.length] as string;
    return {
      accessionNumber: `${v.digits("agent", 10)}-26-${String(index + 1).padStart(6, "0")}`,
      filingDate: "2026-05-04",
      reportDate: form === "4" ? "" : "2026-03-31",
      acceptanceDateTime: "2026-05-04T20:31:45.000Z",
      act: form === "4" ? "" : "34",
      form,
      fileNumber: "001-36743",
      filmNumber: v.digits("film", 8),
      items: form === "8-K" ? "2.02,9.01" : "",
      core_type: form,
      size: v.int("size", 4000, 9_000_000),
      isXBRL: form === "4" ? 0 : 1,
      isInlineXBRL: form === "4" ? 0 : 1,
      primaryDocument: `sample-${index}.htm`,
      primaryDocDescription: form,
    };
  });
  const names = Object.keys(rows[0] ?? { accessionNumber: "" });
  return Object.fromEntries(
    names.map((name) => [name, rows.map((row) => row[name as keyof typeof row])]),
  );
}

const street = {
  street1: "1 SAMPLE WAY",
  street2: "SUITE 7",
  city: "SAMPLETON",
  stateOrCountry: "CA",
  zipCode: "95014",
  stateOrCountryDescription: "CA",
};

function submissions({ parts, empty, secondPage }: SampleRequest) {
  const file = parts.file as string;
  const cik = file.slice(3, 13);
  if (file.includes("submissions")) return columns(cik, secondPage ? 60 : 8, 500);
  const older = { name: `CIK${cik}-submissions-001.json`, filingCount: 40 };
  return {
    cik,
    entityType: "operating",
    sic: "3571",
    sicDescription: "Electronic Computers",
    name: `${vary("company", cik).pick("name", words)} Inc.`,
    tickers: ["SMPL", "SMPL-PA"],
    exchanges: ["Nasdaq", null],
    ein: "990000001",
    lei: "5299SAMPLE0000000001",
    description: "Makes samples.",
    website: "https://sample.example",
    investorWebsite: "https://investors.sample.example",
    category: "Large accelerated filer",
    fiscalYearEnd: "0926",
    stateOfIncorporation: "CA",
    addresses: { mailing: street, business: { ...street, street2: null } },
    phone: "555 0100",
    formerNames: [
      { name: "OLD SAMPLE INC", from: "1994-01-26T05:00:00.000Z", to: "2007-01-04T05:00:00.000Z" },
    ],
    filings: {
      recent: columns(cik, empty ? 0 : secondPage ? 60 : 12),
      files: empty ? [] : [{ ...older, filingFrom: "1994-01-26", filingTo: "2015-04-25" }],
    },
  };
}

/** Figures of quarters, oldest first; every other one marks a span of the calendar. */
function figures(seed: string, hasStart: boolean) {
  return Array.from({ length: 4 }, (_, index) => {
    const quarter = (index % 4) + 1;
    const month = String(quarter * 3).padStart(2, "0");
    return {
      ...(hasStart ? { start: `2025-${String(quarter * 3 - 2).padStart(2, "0")}-01` } : {}),
      end: `2025-${month}-28`,
      val: vary("figure", seed, index).int("value", 1_000_000, 90_000_000_000),
      accn: `0003999999-25-${String(100 + index).padStart(6, "0")}`,
      fy: 2025,
      fp: quarter === 4 ? "FY" : `Q${quarter}`,
      form: quarter === 4 ? "10-K" : "10-Q",
      filed: `2025-${month}-30`,
      frame: `CY2025Q${quarter}`,
    };
  });
}

const cikIn = (file: string) => Number(file.slice(3, 13));

const facts = ({ parts }: SampleRequest) => ({
  cik: cikIn(parts.file as string),
  entityName: "Sample Inc.",
  facts: {
    dei: {
      EntityCommonStockSharesOutstanding: {
        label: "Entity Common Stock, Shares Outstanding",
        description: "Shares.",
        units: { shares: figures("shares", false) },
      },
    },
    "us-gaap": {
      NetIncomeLoss: {
        label: "Net Income (Loss)",
        description: "Profit or loss.",
        units: { USD: figures("income", true) },
      },
      Revenues: { label: "Revenues", description: "Revenues.", units: { USD: [] } },
    },
  },
});

function frame({ parts, empty, secondPage }: SampleRequest) {
  const total = empty ? 0 : secondPage ? 120 : 60;
  return {
    taxonomy: parts.taxonomy,
    tag: parts.concept,
    ccp: (parts.file as string).replace(".json", ""),
    uom: parts.unit,
    label: "Sample concept",
    description: "A sample.",
    pts: total,
    data: slice({ total, offset: 0, count: total }, (index) => ({
      accn: `000${3_000_000 + index}-25-000001`,
      cik: 3_000_000 + index,
      entityName: `Harbour ${index + 1} Corp`,
      loc: "US-CA",
      start: "2025-01-01",
      end: "2025-03-31",
      val: vary("frame", parts.concept as string, index).int("value", -9_000_000, 90_000_000),
    })),
  };
}

const faults = {
  not_found: { status: 404, body: undefined },
  upstream_error: { status: 400, body: undefined },
  upstream_unavailable: { status: 503, body: undefined },
};

/** Sample list of tickers of the SEC, written for this project. */
export const sec: Samples = {
  upstream: "sec",
  answers: { "GET /files/company_tickers.json": tickers },
  faults,
};

/** Sample answers of the SEC's filings and figures, written for this project. */
export const secData: Samples = {
  upstream: "sec-data",
  answers: {
    "GET /submissions/{file}": submissions,
    "GET /api/xbrl/companyfacts/{file}": facts,
    "GET /api/xbrl/companyconcept/{company}/{taxonomy}/{file}": ({ parts }) => ({
      cik: cikIn(parts.company as string),
      taxonomy: parts.taxonomy,
      tag: (parts.file as string).replace(".json", ""),
      label: "Sample concept",
      description: "What the sample counts.",
      entityName: "Sample Inc.",
      units: { USD: figures(parts.file as string, true) },
    }),
    "GET /api/xbrl/frames/{taxonomy}/{concept}/{unit}/{file}": frame,
  },
  faults,
};
