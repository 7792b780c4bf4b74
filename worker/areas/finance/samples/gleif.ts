import type { SampleRequest, Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 500 };

const address = (city: string) => ({
  language: "de",
  addressLines: ["c/o Sample trust", "Sample street 7"],
  addressNumber: null,
  mailRouting: null,
  city,
  region: "DE-HE",
  country: "DE",
  postalCode: "60300",
});

function attributes(lei: string) {
  const v = vary("gleif", lei);
  const name = `${v.pick("name", words)} ${v.int("number", 1, 999)} AG`;
  const isGone = v.int("gone", 0, 2) === 0;
  return {
    lei,
    entity: {
      legalName: { name, language: "de" },
      otherNames: [{ name: `Old ${name}`, language: "de", type: "PREVIOUS_LEGAL_NAME" }],
      transliteratedOtherNames: [
        { name: name.toUpperCase(), language: "en", type: "AUTO_ASCII_TRANSLITERATED_LEGAL_NAME" },
      ],
      legalAddress: address("Frankfurt am Main"),
      headquartersAddress: address("Kassel"),
      registeredAt: { id: "RA000242", other: null },
      registeredAs: `HRB ${v.digits("register", 5)}`,
      jurisdiction: "DE",
      category: "GENERAL",
      legalForm: isGone ? { id: "8888", other: "Sample form" } : { id: "6QQB", other: null },
      associatedEntity: { lei: null, name: null },
      status: isGone ? "INACTIVE" : "ACTIVE",
      expiration: isGone
        ? { date: "2024-03-01T00:00:00Z", reason: "CORPORATE_ACTION" }
        : { date: null, reason: null },
      successorEntity: isGone
        ? { lei: "5299SAMPLE0000000099", name: "Successor AG" }
        : { lei: null, name: null },
      successorEntities: [],
      creationDate: "1952-10-16T23:00:00Z",
      subCategory: null,
      otherAddresses: [],
      eventGroups: [],
    },
    registration: {
      initialRegistrationDate: "2012-06-06T13:54:00Z",
      lastUpdateDate: "2026-04-03T11:09:13Z",
      status: isGone ? "RETIRED" : "ISSUED",
      nextRenewalDate: "2027-04-24T13:33:51Z",
      managingLou: "5299SAMPLE0000000077",
      corroborationLevel: "FULLY_CORROBORATED",
      validatedAt: { id: "RA000242", other: null },
      validatedAs: "HRB 1",
      otherValidationAuthorities: [],
    },
    bic: isGone ? null : ["SAMPDEFFXXX"],
    mic: isGone ? null : ["SAMP"],
    ocid: null,
    conformityFlag: "CONFORMING",
  };
}

const meta = { goldenCopy: { publishDate: "2026-05-08T00:00:00Z" } };
const record = (lei: string) => ({ type: "lei-records", id: lei, attributes: attributes(lei) });
const one = (lei: string) => ({ meta, data: record(lei) });

const leiOf = (seed: string, index: number) =>
  `5299${vary("lei", seed).digits("seed", 8)}${String(index).padStart(6, "0")}${10 + (index % 80)}`;

function paged({ query, empty, secondPage }: SampleRequest, make: (index: number) => object) {
  const total = empty ? 0 : secondPage ? listed.long : listed.usual;
  const [page, size] = [Number(query?.["page[number]"]), Number(query?.["page[size]"])];
  const lastPage = Math.max(1, Math.ceil(total / size));
  return {
    meta: { ...meta, pagination: { currentPage: page, perPage: size, total, lastPage } },
    links: { first: "https://api.gleif.org/api/v1/lei-records?page%5Bnumber%5D=1" },
    data: slice({ total, offset: (page - 1) * size, count: size }, make),
  };
}

const children = (request: SampleRequest) =>
  paged(request, (index) => record(leiOf(`${request.parts.lei} children`, index)));

function search(request: SampleRequest) {
  const isin = request.query?.["filter[isin]"];
  if (isin !== undefined) return { meta, data: [record(leiOf(String(isin), 0))] };
  const seed = `${request.query?.["filter[entity.legalName]"]} ${request.query?.["filter[fulltext]"]}`;
  return paged(request, (index) => record(leiOf(seed, index)));
}

/** Sample answers of GLEIF, written for this project. */
export const gleif: Samples = {
  upstream: "gleif",
  answers: {
    "GET /api/v1/lei-records/{lei}": ({ parts }) => one(parts.lei as string),
    "GET /api/v1/lei-records": search,
    "GET /api/v1/lei-records/{lei}/direct-parent": ({ parts }) =>
      one(leiOf(`${parts.lei} parent`, 1)),
    "GET /api/v1/lei-records/{lei}/ultimate-parent": ({ parts }) =>
      one(leiOf(`${parts.lei} top`, 1)),
    "GET /api/v1/lei-records/{lei}/direct-children": children,
    "GET /api/v1/lei-records/{lei}/ultimate-children": children,
    "GET /api/v1/lei-records/{lei}/isins": (request) =>
      paged(request, (index) => ({
        type: "isins",
        id: `sample-${index}`,
        attributes: {
          lei: request.parts.lei,
          isin: `DE${vary("isin", request.parts.lei as string, index).digits("isin", 9)}${index % 10}`,
        },
      })),
  },
  faults: {
    not_found: { status: 404, body: { errors: [{ status: "404", title: "Not found" }] } },
    upstream_error: { status: 400, body: { errors: [{ status: "400", title: "Bad request" }] } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
