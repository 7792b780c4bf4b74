import type { Samples } from "../../../sandbox/sample.ts";
import { words } from "../../../sandbox/figures.ts";
import { slice, vary } from "../../../sandbox/vary.ts";

const listed = { usual: 120, long: 640 };

function citing(id: string, index: number) {
  const v = vary("semantic-scholar", id, index);
  const year = v.int("year", 2005, 2025);
  const key = v.token("paper", 40);
  return {
    isInfluential: v.int("influential", 0, 3) === 0,
    intents: ["methodology"],
    contexts: [`As shown for ${v.pick("context", words)} [${index + 1}].`],
    citingPaper: {
      paperId: key,
      externalIds: {
        ...(index % 4 === 3 ? {} : { DOI: `10.5555/Citing.${v.digits("doi", 8)}` }),
        ArXiv: `2101.0${v.digits("arxiv", 4)}`,
        PubMed: v.digits("pmid", 8),
        PubMedCentral: v.digits("pmc", 7),
        CorpusId: Number(v.digits("corpus", 9)),
      },
      url: `https://www.semanticscholar.org/paper/${key}`,
      title: `Later work on ${v.pick("title", words)}, ${index + 1}`,
      abstract: `We extend ${v.pick("abstract", words)}.`,
      venue: "Samples",
      year,
      publicationDate: index % 3 === 2 ? null : `${year}-04-0${v.int("day", 1, 9)}`,
      publicationTypes: ["JournalArticle", "Review"],
      journal: { name: "Journal of Samples", pages: "1-9", volume: "3" },
      authors: [{ authorId: v.digits("author", 7), name: "B. Sample" }],
      citationCount: v.int("cited", 0, 400),
      referenceCount: v.int("cites", 1, 90),
      isOpenAccess: index % 2 === 0,
      openAccessPdf:
        index % 2 === 0
          ? { url: `https://press.example/${v.digits("pdf", 6)}.pdf`, status: "GOLD" }
          : null,
    },
  };
}

/** Sample answers of Semantic Scholar, written for this project. */
export const semanticScholar: Samples = {
  upstream: "semantic-scholar",
  answers: {
    "GET /graph/v1/paper/{id}/citations": ({ parts, query, empty, secondPage }) => {
      const total = empty ? 0 : secondPage ? listed.long : listed.usual;
      const [offset, count] = [Number(query?.offset), Number(query?.limit)];
      const end = offset + count;
      return {
        offset,
        ...(end < total ? { next: end } : {}),
        data: slice({ total, offset, count }, (index) => citing(parts.id as string, index)),
      };
    },
  },
  faults: {
    not_found: { status: 404, body: { error: "Paper with id 0 not found" } },
    upstream_error: { status: 400, body: { error: "Unrecognized or unsupported fields" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};

const askedDoi = (query: string) => /^DOI:"(.+)"$/.exec(query)?.[1];

/** Sample answers of Europe PMC, written for this project. */
export const europePmc: Samples = {
  upstream: "europe-pmc",
  answers: {
    "GET /search": ({ query, empty }) => {
      const v = vary("europe-pmc", String(query?.query));
      const number = /\d+/.exec(String(query?.query))?.[0] ?? "1";
      const year = v.int("year", 2001, 2025);
      const work = {
        id: number,
        source: "MED",
        pmid: number,
        pmcid: `PMC${v.digits("pmc", 7)}`,
        doi: askedDoi(String(query?.query)) ?? `10.5555/Life.${v.digits("doi", 6)}`,
        title: `Growth of ${v.pick("title", words)}.`,
        authorString: "Sample A, The Sample Group.",
        authorList: {
          author: [
            {
              fullName: "Sample A",
              firstName: "Ada",
              lastName: "Sample",
              initials: "A",
              authorId: { type: "ORCID", value: "0000-0002-1825-0097" },
              authorAffiliationDetailsList: {
                authorAffiliation: [{ affiliation: "Institute of Samples, Berlin." }],
              },
            },
            { collectiveName: "The Sample Group" },
          ],
        },
        journalInfo: {
          issue: "4",
          volume: "12",
          journal: { title: "Journal of Life", issn: "1234-5679", essn: "2345-6785" },
        },
        pubYear: String(year),
        pageInfo: "11-19",
        abstractText: "<h4>Background</h4>Cells grow.<h4>Results</h4>They did.",
        publicationStatus: "ppublish",
        language: "eng",
        pubTypeList: { pubType: ["research-article", "Journal Article"] },
        grantsList: { grant: [{ grantId: "SSF-17", agency: "Sample Science Foundation" }] },
        keywordList: { keyword: ["Growth"] },
        fullTextUrlList: {
          fullTextUrl: [
            {
              availability: "Open access",
              documentStyle: "pdf",
              url: "https://life.example/1.pdf",
            },
          ],
        },
        isOpenAccess: "Y",
        citedByCount: v.int("cited", 0, 90),
        firstPublicationDate: `${year}-03-02`,
      };
      return {
        version: "6.9",
        hitCount: empty ? 0 : 1,
        resultList: { result: empty ? [] : [work] },
      };
    },
  },
  faults: {
    not_found: { status: 200, body: { version: "6.9", hitCount: 0, resultList: { result: [] } } },
    upstream_error: { status: 200, body: { version: "6.9", errMsg: "Sample fault" } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};

/** Sample answers of Unpaywall, written for this project. */
export const unpaywall: Samples = {
  upstream: "unpaywall",
  answers: {
    "GET /v2/{prefix}/{suffix}": ({ parts }) => {
      const doi = `${parts.prefix}/${parts.suffix}`;
      const v = vary("unpaywall", doi);
      const repository = {
        url: `https://repository.example/${v.digits("copy", 6)}.pdf`,
        url_for_pdf: `https://repository.example/${v.digits("copy", 6)}.pdf`,
        url_for_landing_page: `https://repository.example/${v.digits("copy", 6)}`,
        host_type: "repository",
        version: "acceptedVersion",
        license: "cc-by",
        repository_institution: "University of Samples",
        oa_date: "2024-06-01",
        is_best: true,
        evidence: "oa repository (via page says license)",
      };
      const publisher = { ...repository, host_type: "publisher", version: "publishedVersion" };
      return {
        doi,
        doi_url: `https://doi.org/${doi}`,
        title: `On ${v.pick("title", words)}`,
        genre: "journal-article",
        is_paratext: false,
        published_date: "2024-05-17",
        year: 2024,
        journal_name: "Journal of Samples",
        journal_issns: "1234-5679,2345-6785",
        journal_issn_l: "1234-5679",
        journal_is_oa: false,
        journal_is_in_doaj: false,
        publisher: "Sample Press",
        is_oa: true,
        oa_status: "green",
        has_repository_copy: true,
        best_oa_location: repository,
        first_oa_location: repository,
        oa_locations: [repository, { ...publisher, url_for_pdf: null, license: null }],
        updated: "2025-01-10T12:21:04.000000",
        data_standard: 2,
      };
    },
  },
  faults: {
    not_found: { status: 404, body: { HTTP_status_code: 404, error: true } },
    upstream_error: { status: 400, body: { HTTP_status_code: 400, error: true } },
    upstream_unavailable: { status: 503, body: undefined },
  },
};
