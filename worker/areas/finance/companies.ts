import type { FinanceFiling } from "../../../contract/areas/finance/company-records.ts";
import type { finance } from "../../../contract/areas/finance/index.ts";
import type { Json } from "../../../contract/json.ts";
import type { Call, Connector } from "../../connector.ts";
import { listed } from "../../mapping/list.ts";
import { secData } from "../../upstreams/sec/client.ts";
import { type Listing, listingsIn } from "../../upstreams/sec/tickers.ts";
import { array, at, each, found, need, rows, text } from "#wire";
import { company, filings, isFileName, olderFiles } from "./companies.map.ts";
import { companyValue, concept, facts } from "./facts.map.ts";
import { numbered } from "./pages.ts";

type Companies = Pick<
  Connector<typeof finance>,
  Extract<
    keyof Connector<typeof finance>,
    `finance.${"tickers" | "companies" | "concepts"}.${string}`
  >
>;

async function get(call: Call, path: string): Promise<unknown> {
  return (await call.send(secData, { method: "GET", path })).body;
}

/** The number of a company, which its ticker may stand for. */
async function cikOf(call: Call, given: string): Promise<string> {
  if (/^\d+$/.test(given)) return given.replace(/^0+(?=\d)/, "");
  const listings = await listingsIn(call);
  return found(listings.find(({ ticker }) => ticker === given)?.cik, "ticker");
}

const padded = (cik: string) => `CIK${cik.padStart(10, "0")}`;

/** Listings in the order of their fit: the ticker itself, tickers that begin with it, names that hold all words. */
function matching(listings: readonly Listing[], q: string): Listing[] {
  const ticker = q.toUpperCase().replace(".", "-");
  const words = q.toLowerCase().split(/\s+/);
  const ranks = listings.map((one) => {
    if (one.ticker === ticker) return 0;
    if (one.ticker.startsWith(ticker)) return 1;
    const name = one.name.toLowerCase();
    return words.every((word) => name.includes(word)) ? 2 : 3;
  });
  return [0, 1, 2].flatMap((rank) => listings.filter((_, index) => ranks[index] === rank));
}

/** Pages of a list that comes whole. */
const pagesIn = <Row>(call: Call, limit: number, list: () => Promise<readonly Row[]>) =>
  numbered(call, {
    limit,
    async fetch(number, size) {
      const all = await list();
      const last = Math.max(1, Math.ceil(all.length / size));
      return { rows: all.slice((number - 1) * size, number * size), last };
    },
  });

/** Files with filings that follow a position; the first answer names them all. */
const filesAt = (position: Json | undefined) =>
  each(position, (name) => {
    const file = text(name);
    return file !== undefined && isFileName(file) ? file : undefined;
  });

/** Most files that one page reads in search of a rare form. */
const filesAtOnce = 5;

/** Filings of the first file, or the newest ones, and the files that follow. */
async function filingsAt(call: Call, cik: string, [file, ...others]: string[]) {
  const body = await get(call, `/submissions/${file ?? `${padded(cik)}.json`}`);
  return file === undefined
    ? { filings: filings(at(body, "filings", "recent"), cik), files: olderFiles(body) }
    : { filings: filings(body, cik), files: others };
}

export const companies: Companies = {
  "finance.tickers.search": ({ q, limit }, call) =>
    pagesIn(call, limit, async () => matching(await listingsIn(call), q)),
  "finance.companies.get": async (input, call) => {
    const cik = await cikOf(call, input.company);
    return { data: company(await get(call, `/submissions/${padded(cik)}.json`)) };
  },
  "finance.companies.filings": async (input, call) => {
    const cik = await cikOf(call, input.company);
    const isWanted = ({ form }: FinanceFiling) => input.form === undefined || form === input.form;
    return listed(call, {
      limit: input.limit,
      key: (row) => row.accession_number,
      async fetch(position) {
        let page = await filingsAt(call, cik, filesAt(position));
        for (let more = 1; more < filesAtOnce && page.files.length > 0; more += 1) {
          if (page.filings.some(isWanted)) break;
          page = await filingsAt(call, cik, page.files);
        }
        const { files } = page;
        return {
          rows: page.filings.filter(isWanted),
          next: files.length === 0 ? null : files,
          // Banks have a hundred files, most of them without the form.
          advances: true,
        };
      },
    });
  },
  "finance.companies.facts": async (input, call) => {
    const cik = await cikOf(call, input.company);
    const body = await get(call, `/api/xbrl/companyfacts/${padded(cik)}.json`);
    return { data: facts(body, input.taxonomy) };
  },
  "finance.companies.concept": async (input, call) => {
    const cik = await cikOf(call, input.company);
    const path = `/api/xbrl/companyconcept/${padded(cik)}/${input.taxonomy}/${input.concept}.json`;
    return { data: concept(await get(call, path)) };
  },
  "finance.concepts.companies": (input, call) => {
    const { taxonomy, unit, period } = input;
    const path = `/api/xbrl/frames/${taxonomy}/${input.concept}/${unit}/${period}.json`;
    return pagesIn(call, input.limit, async () =>
      rows(need(array(at(await get(call, path), "data")), "data"), "data", companyValue),
    );
  },
};
