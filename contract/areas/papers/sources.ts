import type { Source } from "../../source.ts";

export const crossref: Source = {
  name: "Crossref",
  url: "https://www.crossref.org",
  licence: "terms of use",
  terms: "https://github.com/CrossRef/rest-api-doc#metadata-license",
};

export const datacite: Source = {
  name: "DataCite",
  url: "https://datacite.org",
  licence: "CC0",
  terms: "https://support.datacite.org/docs/datacite-data-file-use-policy",
};

export const europePmc: Source = {
  name: "Europe PMC",
  url: "https://europepmc.org",
  licence: "terms of use",
  terms: "https://europepmc.org/Copyright",
};

export const openAlex: Source = {
  name: "OpenAlex",
  url: "https://openalex.org",
  licence: "CC0",
  terms: "https://docs.openalex.org/additional-help/faq",
};

export const semanticScholar: Source = {
  name: "Semantic Scholar",
  url: "https://www.semanticscholar.org",
  licence: "terms of use",
  terms: "https://www.semanticscholar.org/product/api/license",
  attribution: "Semantic Scholar",
};

export const orcid: Source = {
  name: "ORCID",
  url: "https://orcid.org",
  licence: "CC0, of the public data file",
  terms: "https://orcid.org/content/orcid-public-data-file",
  attribution: "ORCID",
};

export const ror: Source = {
  name: "Research Organization Registry",
  url: "https://ror.org",
  licence: "CC0",
  terms: "https://doi.org/10.5281/zenodo.6347574",
};

export const unpaywall: Source = {
  name: "Unpaywall",
  url: "https://unpaywall.org",
  licence: "terms of use",
  terms: "https://unpaywall.org/products/api",
};
