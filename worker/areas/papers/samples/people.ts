import type { Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 120, long: 640 };
const changedAt = 1_750_000_000_000;
const moment = { value: changedAt };

/** Sixteen characters in the form of an iD. */
const iD = (seed: string, index: number) => {
  const digits = vary("orcid", seed, index).digits("iD", 12);
  return `0000-${digits.slice(0, 4)}-${digits.slice(4, 8)}-${digits.slice(8)}`;
};

function found(seed: string, index: number) {
  const v = vary("orcid", "found", seed, index);
  return {
    "orcid-id": iD(seed, index),
    "given-names": "Ada",
    "family-names": `Sample${index + 1}`,
    "credit-name": v.int("credit", 0, 1) === 0 ? null : "A. Sample",
    "other-name": ["Ada S."],
    email: [],
    "institution-name": [`Institute of ${v.pick("institution", words)}`],
  };
}

function affiliation(kind: string, name: string) {
  return {
    "last-modified-date": moment,
    "external-ids": { "external-id": [] },
    summaries: [
      {
        [kind]: {
          "put-code": 4711,
          "department-name": "Physics",
          "role-title": name,
          "start-date": { year: { value: "2012" }, month: { value: "09" }, day: null },
          "end-date": { year: { value: "2019" }, month: { value: "03" }, day: { value: "31" } },
          organization: {
            name: "Institute of Samples",
            address: { city: "Berlin", region: null, country: "DE" },
            "disambiguated-organization": {
              "disambiguated-organization-identifier": "https://ror.org/05dxps055",
              "disambiguation-source": "ROR",
            },
          },
          visibility: "public",
        },
      },
    ],
  };
}

const own = (type: string, value: string) => ({
  "external-id-type": type,
  "external-id-value": value,
  "external-id-normalized": { value: value.toLowerCase(), transient: true },
  "external-id-url": null,
  "external-id-relationship": "self",
});

function group(orcid: string, index: number) {
  const v = vary("orcid", "work", orcid, index);
  const doi = `10.5555/Work.${v.digits("doi", 7)}`;
  const ids =
    index % 4 === 3
      ? [own("pmid", v.digits("pmid", 8)), own("pmc", `PMC${v.digits("pmc", 7)}`)].map((one) => ({
          ...one,
          "external-id-normalized": null,
        }))
      : [
          own("doi", doi),
          ...(index % 4 === 1 ? [own("arxiv", `arXiv:2101.0${v.digits("x", 4)}`)] : []),
        ];
  return {
    "last-modified-date": moment,
    "external-ids": { "external-id": ids },
    "work-summary": [
      {
        "put-code": 100_000 + index,
        "created-date": moment,
        source: { "source-name": { value: "Crossref" } },
        title: {
          title: { value: `On ${v.pick("title", words)}, part ${index + 1}` },
          subtitle: { value: `With ${v.pick("subtitle", words)}` },
          "translated-title": null,
        },
        url: { value: `https://press.example/${v.digits("url", 6)}` },
        type: v.pick("type", ["journal-article", "conference-paper", "data-set"]),
        "publication-date": {
          year: { value: String(v.int("year", 2001, 2025)) },
          month: { value: "05" },
          day: index % 2 === 0 ? { value: "21" } : null,
        },
        "journal-title": { value: "Journal of Samples" },
        visibility: "public",
      },
    ],
  };
}

/** Sample answers of ORCID, written for this project. */
export const orcid: Samples = {
  upstream: "orcid",
  answers: {
    "GET /expanded-search/": ({ query, empty, secondPage }) => {
      const total = empty ? 0 : secondPage ? listed.long : listed.usual;
      const rows = slice(
        { total, offset: Number(query?.start), count: Number(query?.rows) },
        (index) => found(String(query?.q), index),
      );
      return { "expanded-result": rows.length > 0 ? rows : null, "num-found": total };
    },
    "GET /{orcid}/record": ({ parts }) => ({
      "orcid-identifier": {
        uri: `https://orcid.org/${parts.orcid}`,
        path: parts.orcid,
        host: "orcid.org",
      },
      preferences: { locale: "en" },
      history: { "last-modified-date": moment, "submission-date": moment },
      person: {
        name: {
          "given-names": { value: "Ada" },
          "family-name": { value: "Sample" },
          "credit-name": { value: "Ada S. Sample" },
        },
        "other-names": { "other-name": [{ content: "A. Sample" }] },
        biography: { content: "Measures things.", visibility: "public" },
        "researcher-urls": {
          "researcher-url": [{ "url-name": "Home", url: { value: "https://ada.example/" } }],
        },
        emails: { email: [] },
        addresses: { address: [{ country: { value: "DE" } }] },
        keywords: { keyword: [{ content: "metrology" }] },
        "external-identifiers": {
          "external-identifier": [
            { "external-id-type": "Scopus Author ID", "external-id-value": "7000000001" },
          ],
        },
      },
      "activities-summary": {
        employments: { "affiliation-group": [affiliation("employment-summary", "Professor")] },
        educations: { "affiliation-group": [affiliation("education-summary", "PhD")] },
        works: { group: [0, 1, 2].map((index) => group(parts.orcid as string, index)) },
      },
    }),
    "GET /{orcid}/works": ({ parts, empty, secondPage }) => ({
      "last-modified-date": moment,
      group: empty
        ? []
        : Array.from({ length: secondPage ? listed.long : listed.usual }, (_, index) =>
            group(parts.orcid as string, index),
          ),
      path: `/${parts.orcid}/works`,
    }),
  },
  faults: {
    not_found: { status: 404, body: { "response-code": 404, "error-code": 9016 } },
    upstream_error: { status: 400, body: { "response-code": 400, "error-code": 9029 } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
