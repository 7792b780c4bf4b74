import type {
  FinanceCompany,
  FinanceFiling,
} from "../../../contract/areas/finance/company-records.ts";
import {
  type Wire,
  array,
  at,
  boolean,
  count,
  defined,
  each,
  id,
  need,
  object,
  rows,
  text,
} from "#wire";

/** Some answers write the number with leading zeros, others without. */
export const cikOf = (value: unknown) => id(value)?.replace(/^0+(?=\d)/, "");

export function company(body: unknown): FinanceCompany {
  const row = need(object(body), "company");
  const exchanges = array(row.exchanges) ?? [];
  return defined({
    cik: need(cikOf(row.cik), "cik"),
    name: need(text(row.name), "name"),
    entity_type: text(row.entityType),
    listings: (array(row.tickers) ?? []).flatMap((entry, index) => {
      const ticker = text(entry);
      return ticker === undefined ? [] : [defined({ ticker, exchange: text(exchanges[index]) })];
    }),
    industry_code: text(row.sic),
    industry: text(row.sicDescription),
    lei: text(row.lei),
    tax_number: text(row.ein),
    description: text(row.description),
    website_url: text(row.website),
    investor_url: text(row.investorWebsite),
    filer_category: text(row.category),
    fiscal_year_end: dayOfYear(row.fiscalYearEnd),
    state_of_incorporation: text(row.stateOfIncorporation),
    phone: text(row.phone),
    business_address: address(at(row.addresses, "business")),
    mailing_address: address(at(row.addresses, "mailing")),
    former_names: each(row.formerNames, (entry) => {
      const name = text(at(entry, "name"));
      if (name === undefined) return undefined;
      return defined({ name, from_date: text(at(entry, "from")), to_date: text(at(entry, "to")) });
    }),
  });
}

/** A day without its year: `0926`. */
function dayOfYear(value: unknown): string | undefined {
  const [, month, day] = /^(\d{2})(\d{2})$/.exec(text(value) ?? "") ?? [];
  return month === undefined ? undefined : `${month}-${day}`;
}

function address(value: unknown): FinanceCompany["business_address"] {
  const row = object(value);
  if (!row) return undefined;
  return defined({
    lines: each([row.street1, row.street2], text),
    city: text(row.city),
    state_code: text(row.stateOrCountry),
    postal_code: text(row.zipCode),
  });
}

/** Filings come as columns of one length. */
export function filings(columns: unknown, cik: string): FinanceFiling[] {
  const table = need(object(columns), "filings");
  const numbers = need(array(table.accessionNumber), "filings.accessionNumber");
  const list = numbers.map((_, index) =>
    Object.fromEntries(Object.keys(table).map((name) => [name, at(table, name, index)])),
  );
  return rows(list, "filings", (row) => filing(row, cik));
}

function filing(row: Wire, cik: string): FinanceFiling {
  const accession_number = need(text(row.accessionNumber), "filings.accessionNumber");
  const document = text(row.primaryDocument);
  const folder = accession_number.replaceAll("-", "");
  const url = `https://www.sec.gov/Archives/edgar/data/${cik}/${folder}/${document}`;
  return defined({
    accession_number,
    cik,
    form: need(text(row.form), "filings.form"),
    filed_date: text(row.filingDate),
    accepted_at: text(row.acceptanceDateTime),
    period_end: text(row.reportDate),
    act: text(row.act),
    file_number: text(row.fileNumber),
    film_number: text(row.filmNumber),
    item_numbers: (text(row.items) ?? "").split(",").filter((item) => item !== ""),
    size_bytes: count(row.size),
    has_xbrl: boolean(row.isXBRL),
    has_inline_xbrl: boolean(row.isInlineXBRL),
    document,
    description: text(row.primaryDocDescription),
    url: document === undefined ? undefined : url,
  });
}

/** Names of the files with older filings, newest first. */
export const olderFiles = (body: unknown): string[] =>
  need(array(at(body, "filings", "files")), "filings.files").map((file) => {
    const name = text(at(file, "name"));
    return need(name !== undefined && isFileName(name) ? name : undefined, "filings.files.name");
  });

export const isFileName = (name: string) => /^CIK\d{10}-submissions-\d{3}\.json$/.test(name);
