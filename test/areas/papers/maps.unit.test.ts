import { expect, test } from "vitest";
import { article, reference, journal } from "../../../worker/areas/papers/crossref.map.ts";
import { referencesOf } from "../../../worker/areas/papers/crossref.ts";
import { dataset } from "../../../worker/areas/papers/datacite.map.ts";
import { lifeScienceWork } from "../../../worker/areas/papers/europepmc.map.ts";
import { author, authorWork } from "../../../worker/areas/papers/orcid.map.ts";
import { citation } from "../../../worker/areas/papers/semantic-scholar.map.ts";
import { openAccess } from "../../../worker/areas/papers/unpaywall.map.ts";
import {
  dateOf,
  kindOf,
  languageOf,
  prose,
  titleOf,
} from "../../../worker/areas/papers/work.map.ts";
import { ShapeError } from "#wire";
import { play } from "../play.ts";

test("papers surprise 2: markup becomes plain text, without the heading of an abstract", () => {
  const marked =
    "<jats:title>Abstract</jats:title>\n <jats:p>Of <jats:italic>E. coli</jats:italic> &amp; H<jats:sub>2</jats:sub>O.</jats:p>\n <jats:p>More.</jats:p>";
  expect(prose(marked)).toBe("Of E. coli & H2O.\nMore.");
  expect(prose("<h4>Background</h4>Cells grow.<h4>Results</h4>They did.")).toBe(
    "Background\nCells grow.\nResults\nThey did.",
  );
  expect(prose(" ")).toBeUndefined();
  expect(titleOf("<h1>Virological failure</h1>, and\n H<sub>2</sub>O &amp; more")).toBe(
    "Virological failure, and H2O & more",
  );
});

test("papers surprise 3: a work without a date has none, although it was registered one day", () => {
  const created = { "date-parts": [[2007, 9, 8]] };
  const work = article({ DOI: "10.1234/X", issued: { "date-parts": [[null]] }, created });
  expect(() => article({ title: ["x"] })).toThrow(ShapeError);
  expect(work).not.toHaveProperty("publication_date");
  expect([dateOf(2018, 5, 1), dateOf(2018, 5), dateOf("2018", null, 3), dateOf(null)]).toEqual([
    "2018-05-01",
    "2018-05",
    "2018",
    undefined,
  ]);
});

test("papers surprise 4: one kind of work has one name at every source", () => {
  expect(article({ DOI: "10.1234/x", type: "posted-content", subtype: "preprint" }).type).toBe(
    "preprint",
  );
  expect(
    [
      "proceedings-article",
      "conference-paper",
      "ConferencePaper",
      "data-set",
      "JournalArticle",
    ].map(kindOf),
  ).toEqual([
    "conference-paper",
    "conference-paper",
    "conference-paper",
    "dataset",
    "journal-article",
  ]);
});

test("papers surprise 6: null in place of an empty list of researchers", async () => {
  const played = await play("papers.authors.search", { q: "x" }, { scenario: "empty" });
  expect(played).toMatchObject({ ok: true, data: [], pagination: { has_more: false } });
});

const group = (...sources: string[]) => ({
  "external-ids": {
    "external-id": [
      {
        "external-id-type": "doi",
        "external-id-value": "https://doi.org/10.1234/AbC",
        "external-id-normalized": null,
        "external-id-relationship": "self",
      },
      {
        "external-id-type": "doi",
        "external-id-value": "10.1234/whole",
        "external-id-relationship": "part-of",
      },
    ],
  },
  "work-summary": sources.map((name) => ({
    title: { title: { value: `By ${name}` }, subtitle: null },
    source: { "source-name": { value: name } },
    type: "journal-article",
    "publication-date": { year: { value: "2018" }, month: { value: "05" }, day: null },
    "journal-title": null,
    url: null,
  })),
});

test("papers surprise 7: the first of a group is the record's own choice", () => {
  expect(authorWork(group("Crossref", "Scopus"))).toEqual({
    id: "10.1234/abc",
    doi: "10.1234/abc",
    type: "journal-article",
    title: "By Crossref",
    publication_date: "2018-05",
    publication_year: 2018,
    url: "https://doi.org/10.1234/abc",
    added_by: "Crossref",
  });
  expect(() => authorWork({ "work-summary": [] })).toThrow(ShapeError);
});

test("a value that several services report about a researcher counts once", () => {
  const person = {
    addresses: { address: ["NO", "SE", "NO"].map((value) => ({ country: { value } })) },
    keywords: { keyword: [{ content: "ice" }, { content: "ice" }] },
    "other-names": { "other-name": [{ content: "S. Sample" }, { content: "S. Sample" }] },
  };
  const orcid = { "orcid-identifier": { path: "0000-0002-1825-0097" } };
  expect(author({ ...orcid, person })).toMatchObject({
    country_codes: ["NO", "SE"],
    keywords: ["ice"],
    other_names: ["S. Sample"],
  });
});

test("a researcher who shows nothing still has a record", () => {
  const bare = { "orcid-identifier": { path: "0000-0002-1825-0097" }, person: { name: null } };
  expect(author(bare)).toEqual({
    orcid: "0000-0002-1825-0097",
    other_names: [],
    country_codes: [],
    keywords: [],
    links: [],
    external_ids: [],
    employments: [],
    educations: [],
    url: "https://orcid.org/0000-0002-1825-0097",
  });
});

test("a reference has what its publisher wrote: a DOI, parts, or one text", () => {
  expect(reference({ key: "a", DOI: "10.1234/A", year: "1999b", "first-page": "7" })).toEqual({
    id: "10.1234/a",
    doi: "10.1234/a",
    key: "a",
    publication_year: 1999,
    first_page: "7",
  });
  expect(reference({ key: "b", unstructured: "B. <i>Book</i>" })).toEqual({
    key: "b",
    citation: "B. Book",
  });
  expect(referencesOf({ "references-count": 0 })).toEqual([]);
  expect(() => referencesOf({ "references-count": 3 })).toThrow(ShapeError);
});

test("a journal's years are in order", () => {
  const record = journal({
    title: "J &amp; K",
    ISSN: ["1234-5679"],
    breakdowns: {
      "dois-by-issued-year": [
        [2020, 5],
        [2019, 7],
        ["x", 1],
      ],
    },
  });
  expect(record).toMatchObject({
    title: "J & K",
    works_by_year: [
      { year: 2019, count: 7 },
      { year: 2020, count: 5 },
    ],
  });
});

test("a data set: people and groups, publisher as text or object, licences that are addresses", () => {
  const record = dataset({
    attributes: {
      doi: "10.5281/ZENODO.1",
      creators: [
        {
          name: "Gómez, Ana",
          givenName: "Ana",
          familyName: "Gómez",
          affiliation: [{ name: "KTH" }],
        },
        { name: "The Survey" },
      ],
      titles: [{ title: "Sub", titleType: "Subtitle" }, { title: "Main" }],
      publisher: { name: "Zenodo" },
      publicationYear: 2020,
      types: { resourceTypeGeneral: "Dataset" },
      rightsList: [
        { rightsUri: "info:eu-repo/semantics/openAccess" },
        { rightsUri: "https://creativecommons.org/licenses/by/4.0/" },
      ],
    },
  });
  expect(record).toEqual({
    id: "10.5281/zenodo.1",
    doi: "10.5281/zenodo.1",
    type: "dataset",
    title: "Main",
    subtitle: "Sub",
    authors: [
      { name: "Ana Gómez", given_name: "Ana", family_name: "Gómez", affiliations: ["KTH"] },
      { name: "The Survey" },
    ],
    publication_date: "2020",
    publication_year: 2020,
    publisher: "Zenodo",
    license_url: "https://creativecommons.org/licenses/by/4.0/",
    url: "https://doi.org/10.5281/zenodo.1",
  });
});

test("a work of the life sciences, with and without a DOI", () => {
  const row = {
    source: "PPR",
    doi: "10.1101/2023.01.01.522334",
    title: "TDP-43 in <i>cortical</i> neurons.",
    authorList: { author: [{ fullName: "Bianchi A" }, { collectiveName: "The Group" }] },
    isOpenAccess: "N",
    firstPublicationDate: "2023-01-02",
  };
  expect(lifeScienceWork(row)).toEqual({
    id: "10.1101/2023.01.01.522334",
    doi: "10.1101/2023.01.01.522334",
    type: "preprint",
    title: "TDP-43 in cortical neurons.",
    authors: [{ name: "Bianchi A" }, { name: "The Group" }],
    publication_date: "2023-01-02",
    publication_year: 2023,
    is_open_access: false,
    url: "https://doi.org/10.1101/2023.01.01.522334",
  });
  expect(lifeScienceWork({ pmid: "17", isOpenAccess: "Y" })).toMatchObject({
    id: "pmid:17",
    is_open_access: true,
  });
  expect(lifeScienceWork({ pmcid: "PMC17" })).toEqual({
    id: "pmcid:PMC17",
    pmcid: "PMC17",
    authors: [],
  });
  expect(() => lifeScienceWork({ title: "x" })).toThrow(ShapeError);
});

test("papers surprise 16: an ISSN of both editions counts once, and a work without a DOI has a page", () => {
  const journal = { title: "Sample Letters", issn: "1234-5679", essn: "1234-5679" };
  const page = { documentStyle: "html", url: "https://reader.example/PMC17" };
  const work = lifeScienceWork({
    pmcid: "PMC17",
    journalInfo: { journal },
    fullTextUrlList: { fullTextUrl: [{ documentStyle: "doi", url: "https://x.example" }, page] },
  });
  expect(work).toMatchObject({ issns: ["1234-5679"], url: page.url });
  const two = { journalInfo: { journal: { ...journal, essn: "2345-6786" } }, pmid: "17" };
  expect(lifeScienceWork(two).issns).toEqual(["1234-5679", "2345-6786"]);
});

test("papers surprise 17: an article of arXiv has the DOI that arXiv registers", () => {
  const doi = "10.48550/arxiv.2101.01234";
  const citing = (externalIds: object) => citation({ citingPaper: { title: "T", externalIds } });
  expect(citing({ ArXiv: "2101.01234" })).toMatchObject({ id: doi, doi, arxiv_id: "2101.01234" });
  expect(citing({ ArXiv: "2101.01234", DOI: "10.1234/X" })).toMatchObject({ id: "10.1234/x" });
  expect(citing({ ArXiv: "unknown" })).not.toHaveProperty("id");
  const own = {
    "external-id-type": "arxiv",
    "external-id-value": "arXiv:2101.01234v2",
    "external-id-relationship": "self",
  };
  const ids = { "external-ids": { "external-id": [own] } };
  const work = authorWork({ ...group("Scopus"), ...ids });
  expect(work).toMatchObject({ id: doi, doi, arxiv_id: "2101.01234v2" });
});

test("a closed work has no copies", () => {
  const closed = openAccess({
    doi: "10.1234/X",
    is_oa: false,
    oa_status: "closed",
    oa_locations: [],
  });
  expect(closed).toEqual({
    doi: "10.1234/x",
    is_open_access: false,
    open_access_status: "closed",
    copies: [],
    issns: [],
  });
});

test("a language has one tag, whatever standard the source uses", () => {
  expect(["eng", "en", "ger", "zh-hant", "", "english language", "x"].map(languageOf)).toEqual([
    "en",
    "en",
    "de",
    "zh-Hant",
    undefined,
    undefined,
    undefined,
  ]);
});
