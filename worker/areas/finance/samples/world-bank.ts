import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 700 };
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** A code of three letters for each index. */
const codeOf = (index: number) =>
  `S${letters[Math.floor(index / 26) % 26] ?? "A"}${letters[index % 26] ?? "A"}`;

/** A page of a list, which is a pair of its page and its rows. */
function paged(
  { query, empty, secondPage }: SampleRequest,
  make: (index: number) => object,
): unknown[] {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [page, per_page] = [Number(query?.page), Number(query?.per_page)];
  const head = { page, pages: Math.ceil(total / per_page), per_page, total };
  return [
    { ...head, sourceid: "2", lastupdated: "2026-04-08" },
    empty ? null : slice({ total, offset: (page - 1) * per_page, count: per_page }, make),
  ];
}

const indicatorOf = (id: string) => ({ id, value: `Sample figure of ${id} (current US$)` });

function figure(id: string, code: string, name: string, date: string, isKnown: boolean) {
  return {
    indicator: indicatorOf(id),
    country: { id: code.slice(0, 2), value: name },
    countryiso3code: code,
    date,
    value: isKnown ? vary("figure", id, code, date).int("value", 1_000, 9_000_000) + 0.5 : null,
    unit: "",
    obs_status: "",
    decimal: 0,
  };
}

/** Years of a span, newest first. */
function figures({ parts, query, empty }: SampleRequest) {
  const [from, to] = String(query?.date ?? "2015:2024")
    .split(":")
    .map(Number) as [number, number];
  const years = empty ? [] : Array.from({ length: to - from + 1 }, (_, index) => to - index);
  const [id, code] = [parts.indicator as string, parts.country as string];
  return [
    {
      page: 1,
      pages: 1,
      per_page: 1000,
      total: years.length,
      sourceid: "2",
      lastupdated: "2026-04-08",
    },
    empty
      ? null
      : years.map((year, index) =>
          figure(id, code, `Country of ${code}`, String(year), index !== 1),
        ),
  ];
}

function country(code: string, index: number) {
  const v = vary("country", code);
  const isGroup = index % 7 === 3;
  const group = { id: "NA", iso2code: "NA", value: "Aggregates" };
  return {
    id: code,
    iso2Code: code.slice(0, 2),
    name: `${v.pick("name", words)} ${code}`,
    region: isGroup ? group : { id: "ECS", iso2code: "Z7", value: "Europe & Central Asia " },
    adminregion: { id: "", iso2code: "", value: "" },
    incomeLevel: isGroup ? group : { id: "HIC", iso2code: "XD", value: "High income" },
    lendingType: isGroup
      ? { id: "", iso2code: "", value: "Aggregates" }
      : { id: "IBD", iso2code: "XF", value: "IBRD" },
    capitalCity: isGroup ? "" : `${v.pick("capital", words)} city`,
    longitude: isGroup ? "" : `${v.int("longitude", -170, 170)}.25`,
    latitude: isGroup ? "" : `${v.int("latitude", -80, 80)}.5`,
  };
}

const indicator = (id: string) => ({
  id,
  name: `Sample figure of ${id} (current US$)`,
  unit: "US$",
  source: { id: "2", value: "World Development Indicators" },
  sourceNote: "A sum of samples.",
  sourceOrganization: "Sample statistics office",
  topics: [
    { id: "3", value: "Economy & Growth " },
    { id: "21", value: "Trade" },
  ],
});

const one = (row: object) => [{ page: 1, pages: 1, per_page: "50", total: 1 }, [row]];

/** Sample answers of the World Bank, written for this project. */
export const worldBank: Samples = {
  upstream: "world-bank",
  answers: {
    "GET /v2/country/{country}/indicator/{indicator}": (request) =>
      request.parts.country === "all"
        ? paged(request, (index) => {
            const code = codeOf(index);
            const { indicator: id } = request.parts;
            const year = String(request.query?.date);
            return figure(id as string, code, `Country of ${code}`, year, index % 9 !== 4);
          })
        : figures(request),
    "GET /v2/indicator/{indicator}": ({ parts }) => one(indicator(parts.indicator as string)),
    "GET /v2/indicator": (request) =>
      paged(request, (index) => indicator(`SM.PLE.${String(index + 1).padStart(4, "0")}`)),
    "GET /v2/country/{country}": ({ parts }) => one(country(parts.country as string, 0)),
    "GET /v2/country": (request) => paged(request, (index) => country(codeOf(index), index)),
  },
  faults: {
    not_found: {
      status: 200,
      body: [{ message: [{ id: "120", key: "Invalid value", value: "Sample fault" }] }],
    },
    upstream_error: {
      status: 200,
      body: [{ message: [{ id: "999", key: "Sample", value: "Sample fault" }] }],
    },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
