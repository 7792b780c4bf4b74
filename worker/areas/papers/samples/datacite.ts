import type { Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 130, long: 650 };

function resource(doi: string) {
  const v = vary("datacite", doi);
  const year = v.int("year", 2008, 2025);
  const kind = doi.startsWith("10.48550/") ? "Preprint" : "Dataset";
  return {
    id: doi,
    type: "dois",
    attributes: {
      doi,
      identifiers: [],
      creators: [
        { name: "Sample Survey", nameType: "Organizational", affiliation: [], nameIdentifiers: [] },
        {
          name: "Sample, Ada",
          nameType: "Personal",
          givenName: "Ada",
          familyName: `Sample${v.int("family", 1, 99)}`,
          affiliation: ["Institute of Samples"],
          nameIdentifiers: [
            {
              schemeUri: "https://orcid.org",
              nameIdentifier: "https://orcid.org/0000-0002-1825-0097",
              nameIdentifierScheme: "ORCID",
            },
          ],
        },
      ],
      titles: [
        { title: `Data of ${v.pick("title", words)}` },
        { title: `A survey of ${v.pick("subtitle", words)}`, titleType: "Subtitle" },
      ],
      publisher: "Sample Repository",
      container: {
        type: "Series",
        title: "Samples of the year",
        identifier: "1234-5679",
        identifierType: "ISSN",
        volume: "4",
        issue: "2",
        firstPage: "10",
        lastPage: "19",
      },
      publicationYear: year,
      subjects: [{ subject: "Oceanography" }, { subject: v.pick("subject", words) }],
      contributors: [],
      dates: [{ date: `${year}-05-04T10:00:00Z`, dateType: "Issued", dateInformation: null }],
      language: "en",
      types: { ris: "DATA", resourceTypeGeneral: kind, resourceType: "Measurements" },
      relatedIdentifiers: [],
      sizes: [`${v.int("size", 1, 900)} MB`],
      formats: ["text/csv"],
      version: `${v.int("version", 1, 4)}.0`,
      rightsList: [
        {
          rights: "Creative Commons Attribution 4.0",
          rightsUri: "https://creativecommons.org/licenses/by/4.0/legalcode",
          rightsIdentifier: "cc-by-4.0",
        },
      ],
      descriptions: [
        { description: `Measured in ${year}.`, descriptionType: "Abstract" },
        { description: "Version history", descriptionType: "Other" },
      ],
      fundingReferences: [
        {
          funderName: "Sample Science Foundation",
          funderIdentifier: "https://doi.org/10.13039/501100009999",
          funderIdentifierType: "Crossref Funder ID",
          awardNumber: `SSF-${v.int("award", 1000, 9999)}`,
        },
      ],
      url: `https://repository.example/records/${v.digits("record", 7)}`,
      viewCount: v.int("views", 1, 900),
      downloadCount: v.int("downloads", 1, 400),
      referenceCount: v.int("references", 0, 30),
      citationCount: v.int("citations", 0, 30),
      state: "findable",
    },
    relationships: { client: { data: { id: "sample.repo", type: "clients" } } },
  };
}

/** Sample answers of DataCite, written for this project. */
export const datacite: Samples = {
  upstream: "datacite",
  answers: {
    "GET /dois": ({ query, empty, secondPage }) => {
      const total = empty ? 0 : secondPage ? listed.long : listed.usual;
      const size = Number(query?.["page[size]"]);
      const number = Number(query?.["page[number]"]);
      const base = vary("datacite", "query", String(query?.query)).digits("hash", 6);
      return {
        data: slice({ total, offset: (number - 1) * size, count: size }, (index) =>
          resource(
            query?.["client-id"] === "arxiv.content"
              ? `10.48550/arxiv.${base.slice(0, 4)}.${String(index + 1).padStart(5, "0")}`
              : `10.5555/data.${base}.${index + 1}`,
          ),
        ),
        meta: { total, totalPages: Math.ceil(total / size), page: number },
        links: {},
      };
    },
    "GET /dois/{doi}": ({ parts }) => ({ data: resource(parts.doi as string) }),
  },
  faults: {
    not_found: { status: 404, body: { errors: [{ status: "404", title: "Not found" }] } },
    upstream_error: { status: 400, body: { errors: [{ title: "Bad request" }] } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
